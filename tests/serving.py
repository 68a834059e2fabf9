"""Running workers for tests, as processes of their own, and the three ways to call them."""

import base64
import contextlib
import json
import os
import random
import signal
import socket
import ssl
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# The tests start processes while gRPC's threads run. Its handlers for forks are for children that go on using it, and can stop one before its program begins.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

import grpc
import httpx
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from engines.registry import games
from service.contract import Contract, load_contract

SIGNING_KEY = "test:" + "5a" * 32
API_KEY = "an-api-key-of-the-tests"
_DOMAINS = {"umpire", "envoy"}  # the proxy in front has reasons of its own


def free_port() -> int:
    """Choose a port that nobody listens on, below those that the kernel gives to outgoing connections: such a one could be taken before it is used."""
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@dataclass(frozen=True)
class Address:
    """Where callers call; ``authority`` is the certificate that vouches for it: then TLS is spoken. ``host:port`` for both doors."""

    http_address: str
    grpc: str
    authority: Path | None = None

    @property
    def http(self) -> str:
        return f"{'https' if self.authority else 'http'}://{self.http_address}"


class Serving:
    """Workers that share an HTTP and a gRPC port."""

    def __init__(self, redis_url: str, workers: int = 1, **settings: str) -> None:
        self.http_port, self.grpc_port = free_port(), free_port()
        self.ops_ports = [free_port() for _ in range(workers)]
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("UMPIRE_")},
            "UMPIRE_REDIS_URL": redis_url,
            "UMPIRE_HTTP_PORT": str(self.http_port),
            "UMPIRE_GRPC_PORT": str(self.grpc_port),
            "UMPIRE_SIGNING_KEYS": SIGNING_KEY,
            "UMPIRE_API_KEYS": f"tests:{API_KEY}",
            "UMPIRE_ALLOW_SEEDS": "1",
            "UMPIRE_LOG_LEVEL": "warning",
            **{f"UMPIRE_{name.upper()}": value for name, value in settings.items()},
        }
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> "Serving":
        for index in range(len(self.ops_ports)):
            self.processes.append(self.start_worker(index))
        self.wait_until_ready()
        return self

    def start_worker(self, index: int) -> "subprocess.Popen[bytes]":
        environment = self._environment | {"UMPIRE_OPS_PORT": str(self.ops_ports[index])}
        return subprocess.Popen([sys.executable, "-m", "service.cli", "worker"], env=environment)

    def wait_until_ready(self, timeout: float = 30.0) -> None:
        deadline = time.monotonic() + timeout
        for port in self.ops_ports:
            while True:
                try:
                    if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=1).status_code == 200:
                        break
                except httpx.HTTPError:
                    pass
                if time.monotonic() > deadline:
                    raise TimeoutError("a worker does not become ready")
                time.sleep(0.05)

    def stop(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(20)

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def grpc(self) -> str:
        return f"127.0.0.1:{self.grpc_port}"


@dataclass
class Answer:
    """What came back, the same for every transport. ``code`` is the canonical name, ``status`` HTTP's (0 over gRPC)."""

    code: str
    status: int
    body: dict[str, Any]
    raw: bytes
    message: str = ""
    reason: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    fields: list[str] = field(default_factory=list)
    retry: bool = False

    @property
    def ok(self) -> bool:
        return self.code == "OK"


class Caller(ABC):
    """Calls any rpc by name with a request in proto3 JSON."""

    transport = ""

    def __init__(self, serving: Serving | Address, contract: Contract | None = None) -> None:
        self.serving = serving
        self.authority: Path | None = getattr(serving, "authority", None)  # whatever serves without one speaks plain text
        self.contract = contract or load_contract(games())
        self.pool: DescriptorPool = self.contract.pool

    @abstractmethod
    def call(self, method: str, request: dict[str, Any] | None = None, credential: str = "", api_key: str = API_KEY) -> Answer:
        """Call an rpc by its method's name."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections."""

    def rpc(self, method: str) -> Any:
        return next(rpc for rpc in self.contract.rpcs.values() if rpc.method == method)

    def message(self, method: str, kind: str) -> Any:
        found = self.pool.FindServiceByName(self.rpc(method).service).FindMethodByName(method)
        return GetMessageClass(found.input_type if kind == "request" else found.output_type)


def _headers(credential: str, api_key: str) -> dict[str, str]:
    return ({"authorization": f"Bearer {credential}"} if credential else {}) | ({"x-api-key": api_key} if api_key else {})


def to_dict(message: Any) -> dict[str, Any]:
    return json_format.MessageToDict(message, always_print_fields_with_no_presence=True)


class GrpcCaller(Caller):
    transport = "grpc"

    def __init__(self, serving: Serving | Address, contract: Contract | None = None) -> None:
        super().__init__(serving, contract)
        # A pool of subchannels of its own: two callers shall not share a connection and so a worker.
        options = [("grpc.use_local_subchannel_pool", 1)]
        if self.authority is None:
            self.channel = grpc.insecure_channel(serving.grpc, options=options)
        else:
            self.channel = grpc.secure_channel(serving.grpc, grpc.ssl_channel_credentials(self.authority.read_bytes()), options=options)

    def call(self, method: str, request: dict[str, Any] | None = None, credential: str = "", api_key: str = API_KEY) -> Answer:
        wanted = json_format.ParseDict(request or {}, self.message(method, "request")())
        return self.call_bytes(method, wanted.SerializeToString(), credential, api_key)

    def call_bytes(self, method: str, data: bytes, credential: str = "", api_key: str = API_KEY) -> Answer:
        run = self.channel.unary_unary(self.rpc(method).path)
        try:
            raw = run(data, metadata=tuple(_headers(credential, api_key).items()), timeout=20)
        except grpc.RpcError as error:
            return self._refused(error)
        return Answer("OK", 0, to_dict(self.message(method, "response").FromString(raw)), raw)

    def close(self) -> None:
        self.channel.close()

    def _refused(self, error: Any) -> Answer:
        answer = Answer(error.code().name, 0, {}, b"", message=error.details() or "")
        for key, value in error.trailing_metadata() or ():
            if key == "grpc-status-details-bin":
                answer.raw = value
                status = status_pb2.Status.FromString(value)
                assert status.code == error.code().value[0]
                assert status.message == error.details()
                for detail in status.details:
                    _read_detail(answer, detail)
        return answer


def _read_detail(answer: Answer, detail: Any) -> None:
    info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
    if detail.Unpack(info):
        assert info.domain in _DOMAINS
        answer.reason, answer.metadata = info.reason, dict(info.metadata)
    elif detail.Unpack(bad):
        answer.fields = [violation.field for violation in bad.field_violations]
    elif detail.Unpack(retry):
        answer.retry = True


class RestCaller(Caller):
    transport = "rest"

    def __init__(self, serving: Serving | Address, contract: Contract | None = None) -> None:
        super().__init__(serving, contract)
        trusted = True if self.authority is None else ssl.create_default_context(cafile=str(self.authority))
        self.client = httpx.Client(base_url=serving.http, timeout=20, verify=trusted)

    def call(self, method: str, request: dict[str, Any] | None = None, credential: str = "", api_key: str = API_KEY) -> Answer:
        rule, rest = self.rpc(method).http, dict(request or {})
        path = rule.template
        for segment in rule.segments:
            if segment.startswith("{"):
                path = path.replace(segment, str(rest.pop(segment[1:-1], "")))
        query = None if rule.has_body else {name: json.dumps(value) if isinstance(value, bool) else value for name, value in rest.items()}
        return self.send(rule.method, path, json.dumps(rest).encode() if rule.has_body else None, query, _headers(credential, api_key))

    def send(self, verb: str, path: str, body: bytes | None = None, query: Any = None, headers: dict[str, str] | None = None) -> Answer:
        response = self.client.request(verb, path, content=body, params=query, headers=headers)
        assert response.headers["cache-control"] == "no-store"
        return read_rest(response.status_code, response.content)

    def close(self) -> None:
        self.client.close()


_CODES = {code.value[0]: code.name for code in grpc.StatusCode}


def read_rest(status: int, content: bytes) -> Answer:
    body = json.loads(content)
    if status == 200:
        return Answer("OK", status, body, content)
    answer = Answer(_CODES[body["code"]], status, {}, content, message=body["message"])
    for detail in body["details"]:
        match detail["@type"].rpartition(".")[2]:
            case "ErrorInfo":
                assert detail["domain"] in _DOMAINS
                answer.reason, answer.metadata = detail["reason"], detail.get("metadata", {})
            case "BadRequest":
                answer.fields = [violation["field"] for violation in detail["fieldViolations"]]
            case "RetryInfo":
                answer.retry = True
    return answer


class ConnectCaller(RestCaller):
    transport = "connect"

    def call(self, method: str, request: dict[str, Any] | None = None, credential: str = "", api_key: str = API_KEY) -> Answer:
        headers = _headers(credential, api_key) | {"content-type": "application/json", "connect-protocol-version": "1"}
        response = self.client.post(self.rpc(method).path, content=json.dumps(request or {}), headers=headers)
        if response.status_code == 200:
            return Answer("OK", 200, response.json(), response.content)
        body = response.json()
        answer = Answer(body["code"].upper().replace("CANCELED", "CANCELLED"), response.status_code, {}, response.content, message=body["message"])
        for detail in body["details"]:
            packed = json_format.ParseDict({}, status_pb2.Status()).details.add()
            packed.type_url = f"type.googleapis.com/{detail['type']}"
            packed.value = base64.b64decode(detail["value"] + "==")
            _read_detail(answer, packed)
        return answer


CALLERS = {"grpc": GrpcCaller, "rest": RestCaller, "connect": ConnectCaller}
