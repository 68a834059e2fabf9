"""The compiled contract: the rpcs, their messages' codecs and their places in HTTP, as the ``.proto`` files say. Nothing about an rpc is written twice."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from google.api import annotations_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorSet, MethodDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool

from engines.kit.contract import Game
from engines.kit.structs import snake_case
from service import messages
from service.codec import Codec, MessageCodec

PACKAGE = "umpire.v1"
COMPILED = Path(__file__).with_name("contract.binpb")

_TEMPLATE = re.compile(r"(?:/(?:[A-Za-z0-9_.-]+|\{[a-z][a-z0-9_]*\}))+(?::[A-Za-z]+)?")
_VERBS = ("get", "put", "post", "delete", "patch")


class ContractError(Exception):
    """The compiled contract is missing or says something that this service cannot serve."""


class HttpRule(NamedTuple):
    """Where an rpc stands in HTTP: ``GET``, ``/v1/matches/{match_id}:claim``, and whether the message comes as the body.

    ``segments`` are the parts of the path, a field's as ``{match_id}``; ``custom_verb`` is what follows the colon, or "".
    """

    method: str
    template: str
    has_body: bool

    @property
    def segments(self) -> tuple[str, ...]:
        return tuple(self.template[1:].partition(":")[0].split("/"))

    @property
    def custom_verb(self) -> str:
        return self.template.partition(":")[2]


@dataclass(frozen=True)
class Rpc:
    """One rpc: ``umpire.v1.MatchService``, ``ApplyMove``, the codecs of its request and response, its place in HTTP if it has one, which sides stream."""

    service: str
    method: str
    request: MessageCodec
    response: MessageCodec
    http: HttpRule | None
    client_streaming: bool = False
    server_streaming: bool = False

    @cached_property
    def path(self) -> str:
        """Its path in gRPC and Connect: ``/umpire.v1.MatchService/ApplyMove``."""
        return f"/{self.service}/{self.method}"

    @property
    def is_stream(self) -> bool:
        """Whether it is more than one message each way."""
        return self.client_streaming or self.server_streaming

    @cached_property
    def kind(self) -> str:
        """What the gRPC ecosystem calls its kind, in metrics: unary, server_stream, client_stream or bidi_stream."""
        return {(False, False): "unary", (False, True): "server_stream", (True, False): "client_stream"}.get(
            (self.client_streaming, self.server_streaming), "bidi_stream"
        )

    @cached_property
    def handler_name(self) -> str:
        """The name of the method that handles it: ``apply_move``."""
        return snake_case(self.method)


@dataclass(frozen=True)
class Contract:
    """What the service serves: the rpcs by path, the codec of all messages, and the descriptors (for reflection)."""

    rpcs: Mapping[str, Rpc]
    codec: Codec
    pool: DescriptorPool


def load_contract(games: Mapping[str, Game], compiled: Path = COMPILED) -> Contract:
    """Read the compiled contract and bind its messages to the structs of ``service.messages`` and of the games.

    Raises:
        ContractError: it is missing, or an rpc cannot be served.
        CodecError: a struct and its message have drifted apart.
    """
    try:
        files = FileDescriptorSet.FromString(compiled.read_bytes()).file
    except FileNotFoundError:
        raise ContractError(f"{compiled} is missing: `make contract` compiles it from proto/") from None
    pool = DescriptorPool()
    for file in files:
        pool.Add(file)
    codec = Codec([pool.FindFileByName(file.name) for file in files if file.package == PACKAGE], messages, games, messages.MATCH_EVENTS)
    rpcs = [
        _rpc(f"{file.package}.{service.name}", method, codec)
        for file in files
        if file.package == PACKAGE
        for service in file.service
        for method in service.method
    ]
    return Contract({rpc.path: rpc for rpc in rpcs}, codec, pool)


def _rpc(service: str, method: MethodDescriptorProto, codec: Codec) -> Rpc:
    request, response = (codec.message(name.removeprefix(".")) for name in (method.input_type, method.output_type))
    http = _http_rule(f"{service}.{method.name}", method)
    if http is not None and method.client_streaming:
        raise ContractError(f"{service}.{method.name}: a stream of requests has no place in HTTP")
    return Rpc(service, method.name, request, response, http, method.client_streaming, method.server_streaming)


def _http_rule(name: str, method: MethodDescriptorProto) -> HttpRule | None:
    if not method.options.HasExtension(annotations_pb2.http):
        return None
    rule = method.options.Extensions[annotations_pb2.http]
    verb = rule.WhichOneof("pattern")
    if verb not in _VERBS or rule.additional_bindings or rule.response_body or rule.body not in ("", "*"):
        raise ContractError(f"{name}: its HTTP rule is of a kind that is not served")
    template = str(getattr(rule, verb))
    if not _TEMPLATE.fullmatch(template):
        raise ContractError(f"{name}: cannot read the path {template}")
    return HttpRule(verb.upper(), template, rule.body == "*")
