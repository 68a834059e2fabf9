import pytest

from engines.registry import games
from service.contract import Contract, load_contract
from tests.service.http_server.calling import Caller


@pytest.fixture(scope="session")
def contract() -> Contract:
    return load_contract(games())


@pytest.fixture
def http(contract: Contract) -> Caller:
    return Caller(contract)


@pytest.fixture
def http_with_origin(contract: Contract) -> Caller:
    """A door that lets the pages of one other origin call."""
    return Caller(contract, ("https://table.example",))
