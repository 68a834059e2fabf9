"""The codec that the service is wired with, named in one place for its tests."""

from service.codec import Codec, CodecError, MessageCodec

__all__ = ["Codec", "CodecError", "MessageCodec"]
