"""Where the service is, and how connections to it are opened."""

from pathlib import Path
from typing import Any, NamedTuple

import grpc
from geventhttpclient import HTTPClient

_STREAMS = 64
_ANSWER_S = 20.0
_SILENCE_S = 45.0
_CHANNEL = (
    ("grpc.use_local_subchannel_pool", 1),  # a connection of its own for each user, so that they spread over workers
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.primary_user_agent", "umpire-load"),
)


class Target(NamedTuple):
    """An Umpire: ``HOST:PORT`` for gRPC, a URL for HTTP.

    ``ca`` is a file with the certificates that TLS is checked by; empty: the system's, where the URL is https.
    """

    grpc: str
    http: str
    api_key: str = ""
    ca: str = ""

    @property
    def has_tls(self) -> bool:
        return self.http.startswith("https:")

    def channel(self) -> grpc.Channel:
        """Open a gRPC connection."""
        if not self.has_tls:
            return grpc.insecure_channel(self.grpc, options=_CHANNEL)
        roots = Path(self.ca).read_bytes() if self.ca else None
        return grpc.secure_channel(self.grpc, grpc.ssl_channel_credentials(roots), options=_CHANNEL)

    def session(self, *, streams: bool = False) -> HTTPClient:
        """Open HTTP connections, as many as are needed at once. One for streams waits longer between two bytes."""
        tls: dict[str, Any] = {"ssl_options": {"ca_certs": self.ca}} if self.has_tls and self.ca else {}
        patience = _SILENCE_S if streams else _ANSWER_S
        return HTTPClient.from_url(self.http, concurrency=_STREAMS, connection_timeout=_ANSWER_S, network_timeout=patience, **tls)

    def headers(self, credential: str = "") -> dict[str, str]:
        """Make what a call is authenticated by: a credential, or the API key."""
        if credential:
            return {"authorization": f"Bearer {credential}"}
        return {"x-api-key": self.api_key} if self.api_key else {}
