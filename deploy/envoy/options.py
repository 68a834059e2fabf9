"""What can be chosen about the configuration, and how it is said on the command line."""

import argparse
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

_HTTP, _GRPC, _OPS = 8080, 50051, 9464
_TLS_PORT, _PLAIN_PORT = 8443, 8000


class OptionsError(ValueError):
    """Options that make no configuration; the message names them."""


@dataclass(frozen=True)
class WorkerAt:
    """Where a worker is, or, by a name that leads to many addresses, where all are."""

    host: str
    http: int = _HTTP
    grpc: int = _GRPC
    ops: int = _OPS

    @property
    def is_name(self) -> bool:
        """Whether the host has to be looked up."""
        try:
            ipaddress.ip_address(self.host)
        except ValueError:
            return True
        return False


@dataclass(frozen=True)
class Options:
    """Everything that a rendering depends on. Seconds, requests a second, numbers of things at once; 0 of a rate: no limit."""

    workers: Sequence[WorkerAt]
    tls_cert: str = ""
    tls_key: str = ""
    worker_ca: str = ""
    worker_cert: str = ""
    worker_key: str = ""
    worker_name: str = ""
    listen: str = "0.0.0.0"  # noqa: S104 - a gateway is there for others
    port: int = 0
    admin_port: int = 9901
    stats_port: int = 9902
    trusted_hops: int = 0
    rate: int = 5_000
    client_rate: int = 200
    call_timeout: int = 30
    stream_idle: int = 60
    max_calls: int = 20_000
    max_connections: int = 50_000
    log: str = "/dev/stdout"

    @property
    def is_tls(self) -> bool:
        """Whether clients are spoken to over TLS."""
        return bool(self.tls_cert)

    @property
    def is_mutual(self) -> bool:
        """Whether workers are spoken to over TLS, each side with a certificate."""
        return bool(self.worker_ca)

    @property
    def client_port(self) -> int:
        """The port that clients call."""
        return self.port or (_TLS_PORT if self.is_tls else _PLAIN_PORT)

    def check(self) -> None:
        """Make sure that the options fit together.

        Raises:
            OptionsError: they do not.
        """
        if not self.workers:
            raise OptionsError("--worker is required: an address, or a name that leads to all workers")
        if bool(self.tls_cert) != bool(self.tls_key):
            raise OptionsError("--tls-cert and --tls-key go together")
        if len({bool(self.worker_ca), bool(self.worker_cert), bool(self.worker_key)}) > 1:
            raise OptionsError("--worker-ca, --worker-cert and --worker-key go together")
        if self.worker_name and not self.worker_ca:
            raise OptionsError("--worker-name is checked with --worker-ca only")
        if self.worker_ca and not self.worker_name:
            raise OptionsError("--worker-ca needs --worker-name: without it, whoever has a certificate of that authority could pass for a worker")


def read_options(arguments: Sequence[str]) -> Options:
    """Read a command line.

    Raises:
        OptionsError: the options do not fit together.
    """
    given = {name: value for name, value in vars(_parser().parse_args(arguments)).items() if value is not None}
    options = Options(workers=tuple(given.pop("worker", ())), **given)
    options.check()
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m deploy.envoy", description="Write Envoy's configuration to stdout.", argument_default=None)
    add = parser.add_argument
    add("--worker", type=_worker, action="append", metavar="HOST[:HTTP:GRPC:OPS]", help="an address, or a name that leads to all workers; again for each")
    add("--tls-cert", metavar="FILE", help="certificate chain for clients; with it Envoy listens on 8443, without on 8000 in plain text")
    add("--tls-key", metavar="FILE", help="its key")
    add("--worker-ca", metavar="FILE", help="speak TLS to workers, whose certificates are of this authority")
    add("--worker-cert", metavar="FILE", help="Envoy's own certificate, shown to workers")
    add("--worker-key", metavar="FILE", help="its key")
    add("--worker-name", metavar="NAME", help="the DNS name in the workers' certificates")
    add("--listen", metavar="ADDRESS", help="where to listen for clients and for the scraper [0.0.0.0]")
    add("--port", type=int, help="for clients [8443 or 8000]")
    add("--admin-port", type=int, help="on loopback only [9901]")
    add("--stats-port", type=int, help="/stats/prometheus and /ready [9902]")
    add("--trusted-hops", type=int, metavar="N", help="proxies in front whose X-Forwarded-For is believed [0]")
    add("--rate", type=int, metavar="N", help="requests a second, all clients together; 0: no limit [5000]")
    add("--client-rate", type=int, metavar="N", help="requests a second of one address (IPv6: one /64); 0: no limit [200]")
    add("--call-timeout", type=int, metavar="S", help="seconds for a call that is no stream [30]")
    add("--stream-idle", type=int, metavar="S", help="seconds of silence that end a stream; more than the workers' heartbeat [60]")
    add("--max-calls", type=int, metavar="N", help="calls and streams under way at once, for each of the workers' two doors [20000]")
    add("--max-connections", type=int, metavar="N", help="clients' connections at once [50000]")
    add("--log", metavar="FILE", help="the access log [/dev/stdout]")
    return parser


def _worker(text: str) -> WorkerAt:
    host, *ports = text.rsplit(":", 3) if not text.startswith("[") else [text[1 : text.index("]")], *text[text.index("]") + 1 :].split(":")[1:]]
    if not host or len(ports) not in {0, 3} or not all(port.isdigit() and 0 < int(port) <= 65_535 for port in ports):
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST or HOST:HTTP:GRPC:OPS")
    return WorkerAt(host, *map(int, ports))
