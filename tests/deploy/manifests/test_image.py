"""The image, as far as it can be looked at without building one: its text, and what its steps come to."""

import fnmatch
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from service.private_redis import PrivateRedis
from tests.deploy.manifests.reading import ROOT, default_ports
from tests.serving import Serving

DOCKERFILE = ROOT / "deploy" / "docker" / "Dockerfile"
STEPS = [line for line in DOCKERFILE.read_text().replace("\\\n", "").splitlines() if line and not line.startswith("#")]
LAST_STAGE = STEPS[max(number for number, step in enumerate(STEPS) if step.startswith("FROM ")) :]


def last(instruction: str) -> str:
    (only,) = [step.removeprefix(instruction).strip() for step in LAST_STAGE if step.startswith(f"{instruction} ")]
    return only


def copied() -> list[str]:
    """What is copied from the repository."""
    return [source for step in STEPS if step.startswith("COPY ") and "--from=" not in step for source in step.split()[1:-1]]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that the image installs, built from what the image's build is shown."""
    folder = tmp_path_factory.mktemp("image")
    for source in copied():
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, folder / source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "contract.binpb"))
        else:
            (folder / source).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / source, folder / source)
    subprocess.run([sys.executable, "scripts/compile_contract.py"], cwd=folder, check=True)
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", "dist", "."]
    subprocess.run(build, cwd=folder, check=True)
    (made,) = (folder / "dist").glob("*.whl")
    return made


def test_hadolint_finds_nothing() -> None:
    done = subprocess.run([Path(sys.executable).parent / "hadolint", DOCKERFILE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_everything_that_is_fetched_is_checked_against_a_hash() -> None:
    fetching = [
        step for step in STEPS if re.search(r"pip\b.* (install|wheel|download)\b", step) and "--no-index" not in step and "--no-build-isolation" not in step
    ]
    assert len(fetching) == 1
    assert "--require-hashes" in fetching[0]


def test_what_it_copies_is_there_and_is_shown_to_the_build() -> None:
    shown = [line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for source in copied():
        assert (ROOT / source).exists(), source
        assert source in shown
    hidden = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith(("!", "#"))]
    assert hidden[0] == "*", "what is not named is not sent"
    for secret in ("deploy/compose/.env", "deploy/kubernetes/secrets/password", ".umpire/signing-key", ".git/config"):
        assert not any(fnmatch.fnmatch(secret, pattern) or secret.startswith(pattern) for pattern in shown)


def test_it_runs_a_worker_as_a_user_that_is_a_number() -> None:
    uid, gid = last("USER").split(":")
    assert int(uid) > 1000
    assert int(gid) > 1000
    assert json.loads(last("ENTRYPOINT")) == ["umpire"]
    assert json.loads(last("CMD")) == ["worker"]
    assert [int(port) for port in last("EXPOSE").split()] == [default_ports()[name] for name in ("http", "grpc", "ops")]
    assert "UMPIRE_HOST=0.0.0.0" in last("ENV").split()


def test_nothing_is_installed_in_the_last_stage() -> None:
    assert not [step for step in LAST_STAGE if step.startswith("RUN ")]


def test_the_wheel_has_everything_that_runs_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for source in (ROOT / "service", ROOT / "engines"):
        for path in source.rglob("*"):
            if path.suffix in {".py", ".lua", ".toml", ".md"}:
                assert str(path.relative_to(ROOT)) in names
    assert "service/contract.binpb" in names
    assert {name.split("/")[0] for name in names} == {"service", "engines", next(name for name in names if ".dist-info" in name).split("/")[0]}


def test_a_worker_runs_from_the_wheel_alone_and_its_health_check_sees_it(wheel: Path, redis_server: PrivateRedis, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    for path in (*installed.rglob("*"), installed):
        path.chmod(0o555 if path.is_dir() else 0o444)
    serving = Serving(redis_server.url)
    run = (
        f"import sys; sys.path.insert(0, {str(installed)!r}); import service.cli; "
        f"assert service.cli.__file__.startswith({str(installed)!r}); sys.exit(service.cli.main(['worker']))"
    )
    environment = serving._environment | {"UMPIRE_OPS_PORT": str(serving.ops_ports[0]), "PYTHONDONTWRITEBYTECODE": "1"}
    check = json.loads(last("HEALTHCHECK").partition(" CMD ")[2])
    check[0] = sys.executable
    assert subprocess.run(check, env=environment, stderr=subprocess.DEVNULL, check=False).returncode != 0
    serving.processes.append(subprocess.Popen([sys.executable, "-P", "-c", run], cwd="/", env=environment))
    try:
        serving.wait_until_ready()
        assert httpx.get(f"{serving.http}/v1/games").status_code == 200
        assert subprocess.run(check, env=environment, check=False).returncode == 0
    finally:
        serving.stop()
        for path in (installed, *installed.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert serving.processes[0].returncode == 0
