"""A worker that says what it was asked, and is slow or unwell on demand: for what Envoy does by itself."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Echo:
    """Answers everything at one port, with the request's headers. ``/v1/slow`` takes three seconds, ``/v1/unwell`` is 503."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.http_port = self.grpc_port = self._server.server_port
        self.ops_ports = [self.http_port]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> Any:
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if self.path != "/readyz":
                    asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                if self.path == "/v1/slow":
                    time.sleep(3)
                    self.close_connection = True
                    return  # nobody waits for it any more
                body = json.dumps({}).encode()
                self.send_response(503 if self.path == "/v1/unwell" else 200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET  # noqa: N815 - the server's word

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        return Handler
