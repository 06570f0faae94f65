"""What docker-compose.yml describes, as its processes see it on this machine."""

from typing import TypedDict, cast

import yaml

from tests.layout.tree import ROOT

DEV = ROOT / "deploy/dev"


class Service(TypedDict, total=False):
    """What the tests read of a service."""

    command: list[str]
    user: str
    read_only: bool
    cap_drop: list[str]
    security_opt: list[str]
    healthcheck: dict[str, object]
    networks: list[str]
    ports: list[str]
    env_file: list[str]


def services() -> dict[str, Service]:
    """Every service by its name."""
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    return cast("dict[str, Service]", yaml.safe_load(text)["services"])


def password_of(user: str) -> str:
    """What a user's environment file gives it."""
    url = (DEV / f"{user}.env").read_text("utf-8")
    return url.split("@")[0].rsplit(":", 1)[1]


def door(socket: str, user: str) -> str:
    """The URL a process of this user is given."""
    return f"unix://{user}:{password_of(user)}@{socket}"
