"""Tokens and what they allow. Of a token only its SHA-256 is held in memory."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SCOPES = ("predict", "learn", "admin")
SHORTEST = 16  # characters of a token
_HASHED = re.compile(r"sha256:[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True)
class Caller:
    """Who has sent a request: the name of the token, and what it allows."""

    name: str
    scopes: frozenset[str]

    def may(self, scope: str) -> bool:
        """Say whether the scope is allowed; admin includes all others."""
        return scope in self.scopes or "admin" in self.scopes


ANYBODY = Caller("anybody", frozenset(SCOPES))


@dataclass(frozen=True)
class Token:
    """A token by its digest."""

    caller: Caller
    digest: bytes


class Tokens:
    """All tokens of a service; without any, everybody may do everything.

    Examples
    --------
    >>> tokens = Tokens.parse(["web:predict,learn:0123456789abcdef"])
    >>> tokens.caller("Bearer 0123456789abcdef").may("learn")
    True
    >>> tokens.caller("Bearer 0123456789abcdeg") is None
    True
    """

    def __init__(self, tokens: Iterable[Token] = ()) -> None:
        self._tokens = tuple(tokens)

    def __bool__(self) -> bool:
        return bool(self._tokens)

    @classmethod
    def read(cls, path: Path) -> Tokens:
        """Read a file: one token a line, ``name:scope,scope:token``; # begins a comment."""
        lines = path.read_text(encoding="utf-8").splitlines()
        tokens = cls.parse(lines, str(path))
        if not tokens:
            raise ValueError(f"{path} has no token; write lines like name:predict,learn:token")
        return tokens

    @classmethod
    def parse(cls, lines: Iterable[str], where: str = "BOXWISE_TOKENS") -> Tokens:
        """Read lines; `where` they are from is said in errors, which never show a token."""
        tokens: list[Token] = []
        for number, line in enumerate(lines, 1):
            text = line.strip()
            if text and not text.startswith("#"):
                tokens.append(_token(text, f"{where}, line {number}"))
        names = [token.caller.name for token in tokens]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{where}: the name {name!r} occurs twice; give each its own")
        return cls(tokens)

    def caller(self, authorization: str | None) -> Caller | None:
        """Return who has a token, by the Authorization header; None if nobody has."""
        if not self._tokens:
            return ANYBODY
        scheme, _, token = (authorization or "").partition(" ")
        digest = digest_of(token.strip()) if scheme.lower() == "bearer" else b""
        found = None
        for known in self._tokens:  # all of them: the time must not tell which one was close
            if hmac.compare_digest(known.digest, digest):
                found = known.caller
        return found


def digest_of(token: str) -> bytes:
    """Return the SHA-256 of a token. Tokens are random, so a slow hash would add nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def new_token(name: str, scopes: str) -> tuple[str, str]:
    """Return a random token and the line of a file that lets it in, which has its hash only."""
    token = secrets.token_urlsafe(32)
    line = f"{name}:{scopes}:sha256:{digest_of(token).hex()}"
    _token(line, "the token")
    return token, line


def _token(text: str, where: str) -> Token:
    name, _, rest = text.partition(":")
    scopes, found, secret = rest.partition(":")
    if not found or not _NAME.fullmatch(name):
        raise ValueError(f"{where}: a token is written as name:scope,scope:token")
    allowed = frozenset(scope.strip() for scope in scopes.split(","))
    if not allowed <= {*SCOPES}:
        raise ValueError(f"{where}: the scopes of {name!r} must be among {', '.join(SCOPES)}")
    if _HASHED.fullmatch(secret):
        digest = bytes.fromhex(secret.removeprefix("sha256:"))
    elif len(secret) < SHORTEST:
        raise ValueError(f"{where}: the token of {name!r} has less than {SHORTEST} characters")
    else:
        digest = digest_of(secret)
    return Token(Caller(name, allowed), digest)
