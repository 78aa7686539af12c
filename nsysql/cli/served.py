"""Show a file in Perfetto's page: serve it on the loopback interface until the page has read it."""

import shutil
import webbrowser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from secrets import token_urlsafe

from nsysql.cli.output import note
from nsysql.errors import UsageError

PAGE = "https://ui.perfetto.dev"
PORT = 9001  # the only local port that Perfetto's page may read from
PATIENCE = 120.0  # seconds to wait for the page


class _Handler(BaseHTTPRequestHandler):
    """Serves one file, under an unguessable name, to Perfetto's page."""

    server: "_Server"

    def do_GET(self) -> None:
        if self.path != f"/{self.server.name}":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", PAGE)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(self.server.trace.stat().st_size))
        self.end_headers()
        with self.server.trace.open("rb") as file:
            shutil.copyfileobj(file, self.wfile)
        self.server.is_read = True

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class _Server(HTTPServer):
    def __init__(self, trace: Path, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.trace, self.name = trace, f"{token_urlsafe(16)}{trace.suffix}"
        self.is_read, self.is_late, self.timeout = False, False, PATIENCE

    def handle_timeout(self) -> None:
        """No request came in time."""
        self.is_late = True


def show_in_perfetto(trace: Path, port: int = PORT) -> None:
    """Open Perfetto's page and serve the trace until it is read, or time is up. Raises UsageError for a taken port."""
    try:
        serving = _Server(trace, port)
    except OSError as error:
        raise UsageError(f"port {port} of this machine is taken ({error.strerror}); open {trace} on {PAGE}.") from None
    with serving as server:
        address = f"{PAGE}/#!/?url=http://127.0.0.1:{server.server_port}/{server.name}"
        webbrowser.open(address)
        note(f"if no browser opens, open {address} within {PATIENCE:.0f} s.")
        while not server.is_read and not server.is_late:
            server.handle_request()
