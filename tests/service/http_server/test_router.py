"""From method and path to an rpc."""

from types import SimpleNamespace

import pytest

from service.contract import Contract, ContractError, HttpRule
from service.errors import InvalidRequest, MethodNotAllowed, NotFound
from service.http_server.router import Router


@pytest.fixture(scope="module")
def router(contract: Contract) -> Router:
    return Router(contract.rpcs.values())

    from engines.registry import games  # noqa: PLC0415
    from service.contract import load_contract  # noqa: PLC0415

    return load_contract(games())


def test_no_route_stands_in_the_way_of_another(router: Router, contract: Contract) -> None:
    for rpc in contract.rpcs.values():
        route = router.find("POST", rpc.path.encode())
        assert (route.rpc, route.fields, route.is_connect) == (rpc, {}, True)
        if rpc.http is None:
            assert rpc.method == "PlayMatch", "all but the stream in both directions have a place in HTTP"
            continue
        names = [segment[1:-1] for segment in rpc.http.segments if segment.startswith("{")]
        path = rpc.http.template
        for name in names:
            path = path.replace(f"{{{name}}}", f"a-{name}")
        route = router.find(rpc.http.method, path.encode())
        assert (route.rpc, route.fields, route.is_connect) == (rpc, {name: f"a-{name}" for name in names}, False)


def test_two_rpcs_at_one_place_end_the_start() -> None:
    rpcs = [SimpleNamespace(path=f"/s/{name}", http=HttpRule("GET", f"/v1/things/{{{name}}}", False)) for name in ("a", "b")]
    with pytest.raises(ContractError, match="GET /v1/things"):
        Router(rpcs)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "match_id"),
    [
        (b"/v1/matches/a", "a"),
        (b"/v1/matches/a%20b", "a b"),
        (b"/v1/matches/a%2Fb", "a/b"),
        (b"/v1/matches/%E2%82%AC", "€"),
        (b"/v1/matches/a+b", "a+b"),
        (b"/v1/matches/a%3Ab", "a:b"),
        (b"/v1/matches/:", ":"),
        (b"/v1/matches/a:", "a:"),
        (b"/v1/matches/a%3Aclaim", "a:claim"),
        (b"/v1/matches/{}", "{}"),
        (b"/v1/m%61tches/a", "a"),
        (b"/v1/matches/..", ".."),
    ],
)
def test_a_path_gives_its_field(router: Router, path: bytes, match_id: str) -> None:
    route = router.find("GET", path)
    assert (route.rpc.method, route.fields) == ("GetMatch", {"match_id": match_id})


def test_a_custom_verb_stands_after_the_last_colon(router: Router) -> None:
    for path, match_id in ((b"/v1/matches/a:claim", "a"), (b"/v1/matches/a:b:claim", "a:b"), (b"/v1/matches/a:claim:claim", "a:claim")):
        route = router.find("POST", path)
        assert (route.rpc.method, route.fields) == ("ClaimSeat", {"match_id": match_id})
    assert router.find("POST", b"/v1/matches/a:renewInvite").rpc.method == "RenewInvite"


@pytest.mark.parametrize(
    "path",
    [
        b"/", b"", b"/v1", b"/v1/", b"/v1/games/", b"/v1/matches/", b"/v1/matches/a/", b"/v1//games", b"//v1/games", b"/v1/matches//moves",
        b"/v1/matches/a/moves/",
        b"/V1/games", b"/v1/matches/a/moves:claim", b"/v1/matches/:claim", b"/v1/games:claim", b"/v1/matches/a/b/c/d/e", b"/umpire.v1.MatchService",
        b"/umpire.v1.MatchService/", b"/umpire.v1.MatchService/applyMove", b"/umpire.v1.MatchService/ApplyMove/", b"v1/games", b"/v1/matches/a/{}", b"*",
        b"/v1/matches/a:undo", b"/v1/matches/a:b", b"/v1/matches/a:Claim", b"/v1/matches/a:claim:undo", b"/v1/games/a:undo",
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_there_is_nothing_elsewhere(router: Router, path: bytes, method: str) -> None:
    with pytest.raises(NotFound) as caught:
        router.find(method, path)
    assert caught.value.reason == "ROUTE_NOT_FOUND"


def test_at_the_root_it_is_said_where_to_begin(router: Router) -> None:
    with pytest.raises(NotFound, match="/v1/games.*README"):
        router.find("GET", b"/")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", b"/v1/matches/a", "DELETE, GET"),
        ("GET", b"/v1/matches/a:claim", "POST"),
        ("get", b"/v1/games", "GET"),
        ("HEAD", b"/v1/matches", "POST"),
        ("GET", b"/umpire.v1.MatchService/ApplyMove", "POST"),
    ],
)
def test_another_method_is_told_those_that_are_possible(router: Router, method: str, path: bytes, allow: str) -> None:
    with pytest.raises(MethodNotAllowed) as caught:
        router.find(method, path)
    assert caught.value.metadata == {"method": method, "allow": allow}


def test_head_goes_where_get_goes(router: Router) -> None:
    assert router.find("HEAD", b"/v1/matches/a").rpc.method == "GetMatch"


@pytest.mark.parametrize("path", [b"/v1/matches/%", b"/v1/matches/%2", b"/v1/matches/%zz", b"/v1/matches/%ff", b"/v1/matches/%c0%af"])
def test_a_path_is_well_encoded(router: Router, path: bytes) -> None:
    with pytest.raises(InvalidRequest):
        router.find("GET", path)
