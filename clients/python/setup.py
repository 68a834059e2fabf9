"""Refuses to build without the generated package: a wheel that lacks it would install and then not import."""

from pathlib import Path

from setuptools import setup

if not (Path(__file__).parent / "umpire" / "__init__.py").exists():
    raise SystemExit("the package umpire is missing: `make stubs` generates it from proto/")
setup()
