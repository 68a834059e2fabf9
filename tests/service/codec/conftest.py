from typing import Any

import pytest

from engines.registry import games
from service.contract import Contract, load_contract
from tests.service.codec import acorns
from tests.service.codec.wired import Codec


@pytest.fixture(scope="session")
def contract() -> Contract:
    return load_contract(games())


@pytest.fixture(scope="session")
def acorns_contract(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Codec]:
    """The squirrels' descriptors and codec."""
    pool, files = acorns.compiled(tmp_path_factory.mktemp("acorns"))
    return pool, acorns.codec(files)


@pytest.fixture
def request_codec(acorns_contract: tuple[Any, Codec]) -> Any:
    return acorns_contract[1].message("umpire.v1.AskRequest")
