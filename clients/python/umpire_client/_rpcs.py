"""The rpcs that the client calls. A test compares them with the contract's descriptors."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from google.protobuf.message import Message

from umpire.v1 import catalog_service_pb2 as catalog
from umpire.v1 import match_service_pb2 as match

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)


@dataclass(frozen=True, eq=False, slots=True)
class Rpc(Generic[Request, Response]):
    """One rpc.

    ``changes``: it is not known without an answer whether it was done; ``keyed``: it takes the API key; ``streams``: which sides send many messages.
    """

    path: str
    request: type[Request]
    response: type[Response]
    changes: bool = False
    keyed: bool = False
    streams: Literal["neither", "server", "both"] = "neither"


_CATALOG = "/umpire.v1.CatalogService/"
LIST_GAMES = Rpc(_CATALOG + "ListGames", catalog.ListGamesRequest, catalog.ListGamesResponse)
GET_GAME = Rpc(_CATALOG + "GetGame", catalog.GetGameRequest, catalog.GetGameResponse)
LIST_RULES = Rpc(_CATALOG + "ListRules", catalog.ListRulesRequest, catalog.ListRulesResponse)
GET_CARD_SET = Rpc(_CATALOG + "GetCardSet", catalog.GetCardSetRequest, catalog.GetCardSetResponse)

_MATCH = "/umpire.v1.MatchService/"
CREATE_MATCH = Rpc(_MATCH + "CreateMatch", match.CreateMatchRequest, match.CreateMatchResponse, changes=True, keyed=True)
CLAIM_SEAT = Rpc(_MATCH + "ClaimSeat", match.ClaimSeatRequest, match.ClaimSeatResponse, changes=True)
RENEW_INVITE = Rpc(_MATCH + "RenewInvite", match.RenewInviteRequest, match.RenewInviteResponse, changes=True, keyed=True)
GET_MATCH = Rpc(_MATCH + "GetMatch", match.GetMatchRequest, match.GetMatchResponse)
LIST_LEGAL_MOVES = Rpc(_MATCH + "ListLegalMoves", match.ListLegalMovesRequest, match.ListLegalMovesResponse)
APPLY_MOVE = Rpc(_MATCH + "ApplyMove", match.ApplyMoveRequest, match.ApplyMoveResponse, changes=True)
LIST_EVENTS = Rpc(_MATCH + "ListEvents", match.ListEventsRequest, match.ListEventsResponse)
WATCH_MATCH = Rpc(_MATCH + "WatchMatch", match.WatchMatchRequest, match.WatchMatchResponse, streams="server")
PLAY_MATCH = Rpc(_MATCH + "PlayMatch", match.PlayMatchRequest, match.PlayMatchResponse, changes=True, streams="both")
RESIGN_SEAT = Rpc(_MATCH + "ResignSeat", match.ResignSeatRequest, match.ResignSeatResponse, changes=True)
GET_PROOF = Rpc(_MATCH + "GetProof", match.GetProofRequest, match.GetProofResponse)
DELETE_MATCH = Rpc(_MATCH + "DeleteMatch", match.DeleteMatchRequest, match.DeleteMatchResponse, changes=True, keyed=True)
