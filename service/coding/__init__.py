"""Plain structs to and from protobuf and proto3 JSON. ``plan`` finds what they have in common, ``write`` and ``read`` translate."""

from service.coding.codec import Codec, MessageCodec
from service.coding.plan import CodecError

__all__ = ["Codec", "CodecError", "MessageCodec"]
