#!/bin/sh
# One worker and one port of one session, each a process of its own, and a relay that calls.
set -eu
cd "$(dirname "$0")"
shop="--map shop.json --session visitor-6 --options options.json"
address=unix:$(mktemp -d)/port.sock

onefate worker $shop --name worker-1 --handlers handlers:HANDLERS &
worker=$!
onefate port $shop --name port-1 --listen "$address" &
port=$!
trap 'kill $worker $port; wait' EXIT

until python client.py "$address" 2>/dev/null; do sleep 0.2; done
