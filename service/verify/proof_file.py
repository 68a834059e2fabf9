"""From a file to the proof that it holds: the answer of GetProof as JSON, as REST gives it or any other proto3 JSON writer."""

import json
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from service import messages
from service.codec import MessageCodec
from service.contract import Contract
from service.errors import InvalidRequest
from service.messages import Message

_PROOF = "umpire.v1.GetProofResponse"


class Unusable(Exception):
    """The file cannot be judged: it is no proof, or of a newer release. The message is one line."""


class Trees:
    """Turns messages of the contract into trees of plain values with JSON's names, defaults printed, so that two of them can be compared."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract

    def of(self, message: Message) -> dict[str, Any]:
        """Write a message as a tree.

        Raises:
            ValueError: it holds what no message can: a time after the year 9999, say.
        """
        name = f"umpire.v1.{type(message).__name__}"
        try:
            return self.normal(name, self.codec(name).to_bytes(message))
        except (json_format.Error, DecodeError) as error:
            raise ValueError(str(error)) from error

    def normal(self, name: str, data: bytes) -> dict[str, Any]:
        """Write the bytes of a message as a tree."""
        tree: dict[str, Any] = json_format.MessageToDict(self.message(name).FromString(data), always_print_fields_with_no_presence=True)
        return tree

    def codec(self, name: str) -> MessageCodec:
        """Return the codec of a message."""
        return self._contract.codec.message(name)

    def message(self, name: str) -> Any:
        """Return protobuf's class of a message."""
        return GetMessageClass(self._contract.pool.FindMessageTypeByName(name))


class Proof:
    """A proof as it was read: as structs, and as the tree that differences are named in."""

    def __init__(self, content: messages.GetProofResponse, tree: dict[str, Any]) -> None:
        self.content = content
        self.tree = tree

    @property
    def steps(self) -> list[tuple[messages.ProofStep, dict[str, Any]]]:
        """The steps, each with its tree."""
        return list(zip(self.content.steps, self.tree["steps"], strict=True))


def read_proof(data: bytes, trees: Trees) -> Proof:
    """Read a proof.

    Raises:
        Unusable: it is not JSON, not a proof, or lacks what a proof has.
    """
    try:
        text = data.decode()
        message = json_format.Parse(text, trees.message(_PROOF)())
    except UnicodeDecodeError:
        raise Unusable("the file is no text") from None
    except json_format.ParseError as error:
        raise Unusable(_refusal(data) or f"the file holds no proof that this release can read: {_one_line(error)}") from None
    written = message.SerializeToString()
    try:
        content = trees.codec(_PROOF).from_bytes(written)
    except InvalidRequest as error:
        raise Unusable(f"the file holds no whole proof: {error.message}") from None
    assert isinstance(content, messages.GetProofResponse)  # noqa: S101 - the codec's name says so
    return Proof(content, trees.normal(_PROOF, written))


def _refusal(data: bytes) -> str:
    """Say what the server said, where its refusal was saved instead of a proof."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    is_status = isinstance(tree, dict) and {"code", "message"} <= tree.keys()
    return f"the file holds the refusal of a server: {_one_line(tree['message'])}" if is_status else ""


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
