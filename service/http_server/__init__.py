"""The HTTP door: REST and Connect."""

from service.http_server.door import HttpDoor

__all__ = ["HttpDoor"]
