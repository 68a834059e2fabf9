"""The distribution: what it contains, what it needs, and that both clients and the contract agree."""

import ast
import importlib
import inspect
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from service.contract import COMPILED
from umpire.v1 import catalog_service_pb2, match_service_pb2
from umpire_client import _rpcs, aio, client

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "clients" / "python"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(PACKAGE, folder / "source", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    build(folder / "source", folder)
    (made,) = folder.glob("umpire_client-*.whl")
    return made


def build(source: Path, out: Path) -> None:
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check", "-q"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, "-w", str(out), str(source)], check=True, capture_output=True, timeout=120)


def test_the_wheel_has_the_client_the_messages_and_their_types(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {str(path.relative_to(PACKAGE)) for name in ("umpire", "umpire_client") for path in (PACKAGE / name).rglob("*") if path.suffix in {".py", ".pyi"}}
    wanted |= {"umpire/py.typed", "umpire_client/py.typed"}
    assert {name for name in names if ".dist-info/" not in name} == wanted
    for proto in (ROOT / "proto" / "umpire").rglob("*.proto"):
        stem = str(proto.relative_to(ROOT / "proto").with_suffix(""))
        assert {f"{stem}_pb2.py", f"{stem}_pb2.pyi"} <= names


def test_the_wheel_works_without_the_service(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import umpire_client, umpire.v1.match_pb2 as messages\n"
        "print(umpire_client.__file__, messages.__file__, sorted({'service', 'engines'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == [str(tmp_path / "umpire_client" / "__init__.py"), str(tmp_path / "umpire" / "v1" / "match_pb2.py"), "[]"]


def test_without_the_generated_messages_nothing_is_built(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "source", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__", "umpire"))
    with pytest.raises(subprocess.CalledProcessError) as caught:
        build(tmp_path / "source", tmp_path)
    assert b"make stubs" in caught.value.stderr + caught.value.stdout


def test_it_needs_three_libraries_and_imports_no_other() -> None:
    needed = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {re.split(r"[><=]", one)[0] for one in needed} == {"grpcio", "protobuf", "googleapis-common-protos"}
    for path in PACKAGE.rglob("umpire*/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in {"umpire", "umpire_client", "grpc", "google", *sys.stdlib_module_names}, f"{path} imports {name}"


def test_it_asks_for_a_protobuf_that_can_read_the_generated_messages() -> None:
    version = re.search(r"Protobuf Python Version: (\S+)", (PACKAGE / "umpire" / "v1" / "match_pb2.py").read_text())
    assert version is not None
    assert f'"protobuf>={version[1]},<{int(version[1].split(".")[0]) + 2}"' in (PACKAGE / "pyproject.toml").read_text()


def test_the_messages_are_those_of_the_contract() -> None:
    files = [file for file in FileDescriptorSet.FromString(COMPILED.read_bytes()).file if file.package.startswith("umpire.")]
    for file in files:
        generated = FileDescriptorProto()
        importlib.import_module(file.name.replace("/", ".").replace(".proto", "_pb2")).DESCRIPTOR.CopyToProto(generated)
        file.ClearField("source_code_info")
        for one in (file, generated):
            clear_json_names(one)
        assert generated == file, f"{file.name}: `make stubs`"


def clear_json_names(file: Any) -> None:
    """protoc writes them into a descriptor set, not into generated code."""
    pending = list(file.message_type)
    while pending:
        message = pending.pop()
        pending += message.nested_type
        for field in message.field:
            field.ClearField("json_name")


def test_every_rpc_of_the_contract_can_be_called() -> None:
    known = {rpc.path: (rpc.request.DESCRIPTOR, rpc.response.DESCRIPTOR) for rpc in vars(_rpcs).values() if isinstance(rpc, _rpcs.Rpc)}
    contract = {
        f"/{service.full_name}/{method.name}": (method.input_type, method.output_type)
        for file in (catalog_service_pb2, match_service_pb2)
        for service in file.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }
    assert known == contract


@pytest.mark.parametrize("name", ["Spectator", "Creator", "Seat", "Client"])
def test_the_asynchronous_client_has_the_same_face(name: str) -> None:
    one, other = getattr(client, name), getattr(aio, f"Async{name}")
    public = {member for member in dir(one) if not member.startswith("_")}
    assert public == {member for member in dir(other) if not member.startswith("_")}
    for member in public:
        theirs, ours = getattr(one, member), getattr(other, member)
        if callable(theirs):
            assert ours.__doc__ == theirs.__doc__, member
            assert face(ours) == face(theirs), member


def face(method: Any) -> str:
    """A method's signature, without what makes it asynchronous."""
    return str(inspect.signature(method)).replace("umpire_client.aio.Async", "umpire_client.client.").replace("AsyncIterator", "Iterator")
