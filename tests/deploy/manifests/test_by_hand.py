"""The trial by hand of deploy/README.md: its blocks are pasted into a shell in order, with other ports and shorter waits, and everything in them happens."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.manifests.reading import ROOT
from tests.serving import free_port

README = (ROOT / "deploy" / "README.md").read_text()
BLOCKS = dict(re.findall(r"<!-- by hand: (\w+) -->\n```sh\n(.*?)```", README, re.DOTALL))
HAS_PROMETHEUS = shutil.which("prometheus") is not None
LASTS_S = 120


def ports_in_a_row() -> int:
    while True:
        first = free_port()
        probes = [socket.socket() for _ in range(3)]
        try:
            for number, probe in enumerate(probes):
                probe.bind(("127.0.0.1", first + number))
        except OSError:
            continue
        else:
            return first
        finally:
            for probe in probes:
                probe.close()


class Trial:
    """A checkout of its own, in which the page's ports are others and Prometheus is in a hurry; what runs in it is ended with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {"8080": ports_in_a_row(), "50051": ports_in_a_row(), "9464": ports_in_a_row()}
        self.ports |= {str(int(first) + n): self.ports[first] + n for first in ("8080", "50051", "9464") for n in (1, 2)}
        self.ports |= {port: free_port() for port in ("6390", "8443", "9090", "9902")}
        for path in ROOT.iterdir():
            if path.name not in {"deploy", ".umpire", ".git", ".venv"}:
                (folder / path.name).symlink_to(path)
        (folder / ".venv").symlink_to(sys.prefix)
        shutil.copytree(ROOT / "deploy", folder / "deploy")
        self._hurry(folder / "deploy" / "prometheus" / "by_hand.yml", ("interval: 5s", "interval: 1s"))
        self._hurry(folder / "deploy" / "prometheus" / "rules.yml", ("for: 30s", "for: 1s"))

    def _hurry(self, path: Path, change: tuple[str, str]) -> None:
        assert change[0] in path.read_text()
        path.write_text(self._elsewhere(path.read_text()).replace(*change))

    def _elsewhere(self, text: str) -> str:
        return re.sub(r"\b\d{4,5}\b", lambda found: str(self.ports.get(found[0], found[0])), text)

    def text(self) -> str:
        """All blocks but the one that installs programs, as one script."""
        names = [name for name in BLOCKS if name != "programs" and (HAS_PROMETHEUS or name not in {"prometheus", "back"})]
        text = self._elsewhere("".join(BLOCKS[name] for name in names))
        for before, after in (
            ("--client-rate 0", f"--client-rate 0 --port {self.ports['8443']} --stats-port {self.ports['9902']} --admin-port {free_port()}"),
            (
                "UMPIRE_SIGNING_KEYS=",
                f"UMPIRE_OPS_PORT={self.ports['9464']}\nUMPIRE_HTTP_PORT={self.ports['8080']}\nUMPIRE_GRPC_PORT={self.ports['50051']}\nUMPIRE_SIGNING_KEYS=",
            ),
            ("--users 20 --seconds 120", "--users 8 --seconds 10"),
            ("sleep 30\n", "sleep 4\n"),
        ):
            assert text.count(before) == 1, before
            text = text.replace(before, after)
        if not HAS_PROMETHEUS:
            text = re.sub(
                r"^until alerts.*$|^for name in prometheus ", lambda found: "for name in " if found[0].startswith("for") else "", text, flags=re.MULTILINE
            )
        return text

    def run(self) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("UMPIRE_")}
        shell = subprocess.Popen(
            ["bash", "-u"],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = shell.communicate(self.text(), timeout=LASTS_S)
        finally:
            self.is_quiet = not _is_there(shell.pid)
            if not self.is_quiet:
                os.killpg(shell.pid, signal.SIGKILL)
        return said


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    return Trial(tmp_path_factory.mktemp("by-hand"))


@pytest.fixture(scope="module")
def said(trial: Trial) -> str:
    return trial.run()


def test_everything_comes_up_and_the_doctor_finds_no_error(said: str) -> None:
    assert "errors: 0" in said
    assert said.count("ready\n") >= 3
    assert "LIVE\n" in said
    assert '"game":"goldn_crash"' in said


def test_a_killed_worker_is_seen_nowhere_in_the_clients(said: str) -> None:
    assert "the load test ended with status 0" in said, said
    assert "matches finished, by game, mode and ending" in said


@pytest.mark.skipif(not HAS_PROMETHEUS, reason="needs Prometheus on PATH: apt-get install prometheus")
def test_a_killed_worker_is_seen_on_the_alert_which_ends_when_it_is_back(said: str, trial: Trial) -> None:
    for job, port in (("umpire", "9464"), ("umpire", "9465"), ("umpire", "9466"), ("envoy", "9902")):
        assert f"{job} 127.0.0.1:{trial.ports[port]} up\n" in said
    assert f"UmpireWorkerDown firing 127.0.0.1:{trial.ports['9465']}\n" in said
    assert "UmpireWorkerDown" not in said.partition("the load test ended")[2]


def test_nothing_is_left_running_and_no_secret_is_for_others_to_read(said: str, trial: Trial) -> None:
    assert trial.is_quiet, said
    hand = trial.folder / ".umpire" / "by-hand"
    assert hand.stat().st_mode & 0o777 == 0o700
    secret = (hand / "api-key").read_text().strip()
    assert len(secret) == 48
    for log in hand.glob("*.log"):
        assert secret not in log.read_text(errors="replace")


def test_the_page_names_every_port_that_it_uses() -> None:
    said, _, _ = README.partition("**1. Programs**")
    used = "".join(BLOCKS.values()) + (ROOT / "deploy" / "prometheus" / "by_hand.yml").read_text()
    named = re.findall(r"\d{4,5}(?: to \d{4,5})?", said.partition("Ports used: ")[2])
    ports = {port for each in named for port in range(int(each.split(" to ")[0]), int(each.split(" to ")[-1]) + 1)}
    assert {int(port) for port in re.findall(r"(?<=[:( ])(?:6390|80\d\d|8443|9\d{3}|500\d\d)\b", used)} <= ports
