"""Generate the package ``clients/python/umpire`` from ``proto/umpire``: message classes with their type stubs. Run by ``make stubs``."""

import shutil
import sys
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "clients" / "python" / "umpire"


def generate_stubs(protos: Path, package: Path) -> None:
    """Generate ``package`` anew from all ``.proto`` files of ``protos/<its name>``; what they import of google's comes from libraries.

    Raises:
        RuntimeError: protoc refuses a file; it has said why on stderr.
    """
    sources = sorted(str(path.relative_to(protos)) for path in (protos / package.name).rglob("*.proto"))
    well_known = files("grpc_tools") / "_proto"
    shutil.rmtree(package, ignore_errors=True)
    if protoc.main(["protoc", f"-I{protos}", f"-I{well_known}", f"--python_out={package.parent}", f"--pyi_out={package.parent}", *sources]) != 0:
        raise RuntimeError(f"protoc could not compile {protos}")
    (package / "py.typed").touch()
    for folder in (*(path for path in package.rglob("*") if path.is_dir()), package):
        (folder / "__init__.py").touch()


if __name__ == "__main__":
    generate_stubs(ROOT / "proto", PACKAGE)
    sys.exit(0)
