"""Compile ``proto/umpire`` into ``service/contract.binpb``: a descriptor set with everything that it imports. Run by ``make contract``."""

import sys
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent


def compile_contract(protos: Path, out: Path, package: str = "umpire") -> None:
    """Compile all ``.proto`` files of ``protos/<package>`` into the descriptor set ``out``.

    Raises:
        RuntimeError: protoc refuses a file; it has said why on stderr.
    """
    sources = sorted(str(path.relative_to(protos)) for path in (protos / package).rglob("*.proto"))
    well_known = files("grpc_tools") / "_proto"
    arguments = ["protoc", f"-I{protos}", f"-I{ROOT / 'proto'}", f"-I{well_known}", "--include_imports", f"--descriptor_set_out={out}", *sources]
    if protoc.main(arguments) != 0:
        raise RuntimeError(f"protoc could not compile {protos}")


if __name__ == "__main__":
    compile_contract(ROOT / "proto", ROOT / "service" / "contract.binpb")
    sys.exit(0)
