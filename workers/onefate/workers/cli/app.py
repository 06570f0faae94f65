"""The commands by name, each loaded when it is run and not before."""

from importlib.metadata import version

from cyclopts import App

HELP = "Every tool call comes to rest exactly once."

COMMANDS = {
    "demo": ("demo:demo", "Play a recorded conversation over two ports and two workers."),
    "port": ("hosts:port", "Serve a port of one session over lines of JSON."),
    "worker": ("hosts:worker", "Perform the fires of one session with an app's handlers."),
    "doctor": ("doctor:doctor", "Check the server, and say what it can lose."),
    "explain": ("explain:explain", "Tell the whole life of one fire."),
    "schema": ("maps:schema", "Print the JSON Schema of a map file."),
    "check-map": ("maps:check_map", "Say whether a map file can be compiled, and where not."),
    "bench": ("bench:bench", "Measure this machine against the floor."),
    "stop": ("stop:stop", "Stop the embedded server."),
    "version": ("about:version_line", "Print the version."),
}


def build() -> App:
    """Make the command line; errors leave it as exceptions."""
    app = App(
        name="onefate",
        help=HELP,
        version=version("onefate"),
        exit_on_error=False,
        print_error=False,
        result_action="return_value",
    )
    for name, (function, about) in COMMANDS.items():
        app.command(f"onefate.workers.cli.{function}", name=name, help=about)
    return app
