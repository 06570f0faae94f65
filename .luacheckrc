-- The scripts see the server's own names and nothing else.
std = "lua51"
read_globals = { "redis", "KEYS", "ARGV" }
color = false
