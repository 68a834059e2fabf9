"""The HTTP door: REST and Connect."""

from service.http_server.door import HttpDoor
from service.http_server.whole_answers import WholeAnswers

__all__ = ["HttpDoor", "WholeAnswers"]
