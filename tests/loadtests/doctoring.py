"""An HTTP proxy that changes answers on their way to the client, as it is told."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

Change = Callable[[str, str, dict[str, Any]], dict[str, Any] | None]
"""Gets method, path and answer; returns the answer that the client gets, or None: none, and the connection is cut."""


class Doctoring:
    """Stands before the HTTP port of a service. Streams are passed on as they come."""

    def __init__(self, http: str, change: Change) -> None:
        self.changed = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._pass_on(self, http, change)

            do_POST = do_GET  # noqa: N815 - the names are http.server's

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._client = httpx.Client(timeout=60)
        self.http = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._client.close()

    def _pass_on(self, near: BaseHTTPRequestHandler, http: str, change: Change) -> None:
        body = near.rfile.read(int(near.headers.get("content-length", 0)))
        headers = {name: value for name, value in near.headers.items() if name.lower() in {"authorization", "x-api-key", "content-type"}}
        with self._client.stream(near.command, http + near.path, content=body, headers=headers) as far:
            if far.headers["content-type"] == "text/event-stream":
                self._stream(near, far)
                return
            answer = json.loads(far.read())
            given = change(near.command, near.path, answer)
        self.changed += given is not answer
        if given is None:
            near.close_connection = True
            near.connection.close()
            return
        data = json.dumps(given).encode()
        near.send_response(far.status_code)
        near.send_header("content-type", "application/json")
        near.send_header("content-length", str(len(data)))
        near.end_headers()
        near.wfile.write(data)

    @staticmethod
    def _stream(near: BaseHTTPRequestHandler, far: httpx.Response) -> None:
        near.close_connection = True
        near.send_response(200)
        near.send_header("content-type", "text/event-stream")
        near.send_header("transfer-encoding", "chunked")
        near.end_headers()
        try:
            for data in far.iter_raw():
                near.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            near.wfile.write(b"0\r\n\r\n")
        except OSError:
            pass  # who watched has gone
