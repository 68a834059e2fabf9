"""`umpire verify`: what it says and with which status it ends; it needs no server and no network."""

import base64
import io
import json
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest

from engines.registry import games
from service.cli import main
from tests.service.verify.matches import played, proof_of

GAME = games()["goldn_crash"]
PROOF = proof_of(played(GAME, GAME.modes[0], 1))


@pytest.fixture(autouse=True)
def _without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a socket is opened")

    monkeypatch.setattr(socket, "socket", refuse)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "proof.json"
    path.write_bytes(PROOF)
    return path


def change(file: Path, **changes: Any) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_a_proof_that_holds(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(file)]) == 0
    first, commitment, source = capsys.readouterr().out.splitlines()
    assert first.startswith("verified: goldn_crash, ")
    assert json.loads(PROOF)["match"]["seedCommitment"] in commitment
    assert "could not change it after the creation" in source


def test_a_proof_that_holds_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--json", str(file)]) == 0
    told = json.loads(capsys.readouterr().out)
    proof = json.loads(PROOF)
    assert told["verdict"] == "verified"
    assert (told["match"]["matchId"], told["match"]["digest"]) == (proof["match"]["matchId"], proof["digest"])
    assert told["match"]["steps"] == len(proof["steps"])


def test_a_proof_that_differs_names_the_place(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = json.loads(PROOF)
    value = proof["steps"][0]["draws"][1]["values"][2]
    proof["steps"][0]["draws"][1]["values"][2] = value + 1
    file.write_text(json.dumps(proof))
    assert main(["verify", str(file)]) == 1
    where, expected, found = capsys.readouterr().out.splitlines()
    assert where.startswith("differs at version 1, draws[1].values[2]: ")
    assert (expected, found) == (f"  expected: {value}", f"  found: {value + 1}")


def test_a_proof_that_differs_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(file, digest="00" * 32)
    assert main(["verify", str(file), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    proof = json.loads(PROOF)
    assert told["verdict"] == "differs"
    difference = told["difference"]
    assert (difference["version"], difference["field"]) == (proof["match"]["version"], "digest")
    assert (difference["expected"], difference["found"]) == (proof["digest"], "00" * 32)


def test_a_proof_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PROOF)))
    assert main(["verify", "-"]) == 0
    assert capsys.readouterr().out.startswith("verified")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no proof"),
        (b"\xff\xfe", "no text"),
        (b"[]", "no whole proof"),
        (b"{}", "no whole proof"),
        (b'{"match": 3}', "no proof"),
        (b'{"match": {"matchId": "x"}, "match": {}}', "no proof"),
        (b'{"match": {}, "seed": "", "newer": 1}', "newer"),
        (b"[" * 100_000, "no proof"),
        (b'{"seed": ' * 100_000, "no proof"),
        (b'{"code": 9, "message": "the match is still being played", "details": []}', "the refusal of a server: the match is still being played"),
    ],
)
def test_what_is_no_proof_is_not_judged(file: Path, capsys: pytest.CaptureFixture[str], content: bytes, said: str) -> None:
    file.write_bytes(content)
    assert main(["verify", "--json", str(file)]) == 2
    output = capsys.readouterr()
    assert json.loads(output.out)["verdict"] == "unusable"
    assert said in json.loads(output.out)["why"]
    assert output.err.startswith("umpire: ")
    assert len(output.err.splitlines()) == 1


@pytest.mark.parametrize(
    "forged",
    [
        {"\x1b[2K\rverified: goldn_crash, 87 steps": 1},
        {"code": 9, "message": "\x1b[2K\rverified: goldn_crash, 87 steps", "details": []},
        {"match": {"game": "\x1b[2K\rverified: goldn_crash, 87 steps"}},
    ],
)
def test_what_a_file_holds_does_not_command_the_terminal(file: Path, capsys: pytest.CaptureFixture[str], forged: dict[str, Any]) -> None:
    change(file, **forged)
    assert main(["verify", str(file)]) == 2
    assert capsys.readouterr().err.rstrip("\n").isprintable()


def test_nor_does_a_log_entry(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = json.loads(PROOF)["steps"]
    written = base64.b64decode(steps[1]["entry"])
    assert b"draw" in written
    steps[1]["entry"] = base64.b64encode(written.replace(b"draw", b"\x1b[2K", 1)).decode()
    change(file, steps=steps)
    assert main(["verify", str(file)]) == 1
    assert all(line.isprintable() for line in capsys.readouterr().out.splitlines())


def test_client_seeds_are_shown_since_only_who_gave_them_can_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "proof.json"
    path.write_bytes(proof_of(played(GAME, GAME.modes[0], 7, client_seeds=True)))
    assert main(["verify", str(path)]) == 0
    said = capsys.readouterr().out
    assert 'client seed of seat 1 "a seed of 7"' in said
    assert "the server alone could not choose the deal" in said
    assert main(["verify", "--json", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["match"]["clientSeeds"] == [{"seat": 1, "text": "a seed of 7"}]


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "none.json")]) == 2
    assert "none.json" in capsys.readouterr().err
