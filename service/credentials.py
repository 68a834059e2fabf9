"""Credentials: signed tokens that open a match, a seat, or an invite; and API keys.

A token is a JWT (HS256, the key's id in the header). Checking one needs no look-up: only a seat's generation is compared with the match later.
"""

import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from enum import StrEnum

import jwt
import msgspec

from service.errors import Forbidden, Unauthenticated

_ALGORITHM = "HS256"
_LIFETIME_S = 400 * 24 * 3600
_MOST_REMEMBERED = 4_096
_LONGEST_TOKEN = 2_048
_LEEWAY_S = 60


class Role(StrEnum):
    """What a token lets its holder be."""

    CREATOR = "CREATOR"
    SEAT = "SEAT"
    SPECTATOR = "SPECTATOR"
    INVITE = "INVITE"


class Credential(msgspec.Struct, frozen=True):
    """A token's content.

    ``origin`` is when its match was created (ms), and its nonce: a match that was deleted and made again under the same id is another one, also if no time
    has passed by the clock of whoever made it. ``seats`` maps each seat that it opens to the seat's generation when it was given out; ``expires`` in seconds
    since 1970.
    """

    match_id: str
    role: Role
    seats: dict[int, int]
    origin: tuple[int, int]
    expires: int


class SigningKey(msgspec.Struct, frozen=True):
    """A secret that signs tokens, and the id by which a token names it."""

    key_id: str
    secret: bytes


class Credentials:
    """Issues and reads tokens. The first key signs; all of them are accepted, so that keys can be changed without logging anybody out."""

    def __init__(self, keys: Sequence[SigningKey]) -> None:
        self._signer = keys[0]
        self._secrets = {key.key_id: key.secret for key in keys}
        self._remembered: OrderedDict[str, Credential] = OrderedDict()

    def issue(self, match_id: str, origin: tuple[int, int], role: Role, seats: Mapping[int, int]) -> str:
        """Make a token for a match. The same arguments give the same token while the signing key stays."""
        created_ms, nonce = origin
        expires = created_ms // 1000 + _LIFETIME_S
        held = [[seat, generation] for seat, generation in seats.items()]
        claims = {"m": match_id, "c": created_ms, "n": nonce, "r": role.value, "s": held, "exp": expires}
        return jwt.encode(claims, self._signer.secret, algorithm=_ALGORITHM, headers={"kid": self._signer.key_id})

    def read(self, token: str) -> Credential:
        """Read a token.

        Raises:
            Unauthenticated: CREDENTIAL_MISSING if it is empty; CREDENTIAL_INVALID if it is forged, expired or unreadable.
        """
        if not token:
            raise Unauthenticated("CREDENTIAL_MISSING", "this call needs a credential: Authorization: Bearer …")
        credential = self._remembered.get(token)
        if credential is None:
            credential = self._verify(token)
            self._remembered[token] = credential
            if len(self._remembered) > _MOST_REMEMBERED:
                self._remembered.popitem(last=False)
        if credential.expires < time.time():
            raise _invalid()
        return credential

    def derive(self, purpose: str, text: str) -> bytes:
        """Derive 32 bytes that only a holder of the signing key can know, for ids that must not be guessed."""
        return hmac.digest(self._signer.secret, f"{purpose}\0{text}".encode(), "sha256")

    def _verify(self, token: str) -> Credential:
        if len(token) > _LONGEST_TOKEN:
            raise _invalid()
        try:
            secret = self._secrets[str(jwt.get_unverified_header(token).get("kid"))]
            claims = jwt.decode(token, secret, algorithms=[_ALGORITHM], leeway=_LEEWAY_S, options={"require": ["exp"]})
            seats = {int(seat): int(generation) for seat, generation in claims["s"]}
            origin = int(claims["c"]), int(claims.get("n", 0))  # an earlier release gave no nonce
            return Credential(str(claims["m"]), Role(claims["r"]), seats, origin, int(claims["exp"]))
        except (jwt.PyJWTError, KeyError, ValueError, TypeError):
            raise _invalid() from None


def bearer(authorization: str) -> str:
    """Take the token out of an Authorization header or metadata; "" if there is none.

    Raises:
        Unauthenticated: CREDENTIAL_INVALID: it is of another scheme.
    """
    scheme, _, token = authorization.partition(" ")
    if authorization and scheme.lower() != "bearer":
        raise Unauthenticated("CREDENTIAL_INVALID", "the authorization must be: Bearer <credential>")
    return token.strip()


class ApiKeys:
    """The keys that may create matches, by name; none at all means that anybody may."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        # Compared by digest: neither the order nor the time of a comparison tells anything about a key.
        self._names = {hashlib.sha256(key.encode()).digest(): name for name, key in keys.items()}

    def check(self, key: str) -> str:
        """Return the name of a key; "" where none is needed.

        Raises:
            Forbidden: API_KEY_REQUIRED.
            Unauthenticated: API_KEY_INVALID.
        """
        if not self._names:
            return ""
        if not key:
            raise Forbidden("API_KEY_REQUIRED", "this call needs an API key: x-api-key: …")
        name = self._names.get(hashlib.sha256(key.encode()).digest())
        if name is None:
            raise Unauthenticated("API_KEY_INVALID", "this API key is not known here")
        return name


def _invalid() -> Unauthenticated:
    return Unauthenticated("CREDENTIAL_INVALID", "this credential is not valid (any more)")
