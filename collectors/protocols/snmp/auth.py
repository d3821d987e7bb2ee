"""SNMP credentials: `[auth.…]` of the facility file, validated, with resolved secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from collectors.device import Secret, resolve
from collectors.errors import ConfigError

AUTH = ("sha1", "sha224", "sha256", "sha384", "sha512")
PRIV = ("aes128", "aes192", "aes256", "aes192c", "aes256c")
WEAK_AUTH, WEAK_PRIV = ("md5",), ("des",)
_VERSIONS = ("1", "2c", "3")
_KEYS = frozenset(
    {"snmp", "community", "user", "auth", "auth_password", "priv", "priv_password", "allow_weak"}
    | {"context", "context_engine"}
)
_ENGINE_OCTETS = range(5, 33)
_LEAST_PASSWORD = 8
_NONE = Secret("")


@dataclass(frozen=True)
class Community:
    """SNMP v1 or v2c."""

    version: str
    community: Secret


@dataclass(frozen=True)
class Usm:
    """SNMP v3: a user, its authentication and encryption ('' for none), the requested context and its engine (b'': the
    one that answers)."""

    name: str
    auth: str = ""
    auth_password: Secret = _NONE
    priv: str = ""
    priv_password: Secret = _NONE
    context: str = field(default="", compare=False)  # the same user in every context
    context_engine: bytes = field(default=b"", compare=False)

    @property
    def other_key(self) -> str:
        """Hint where the other side cannot decrypt: there are two ways to derive keys of AES-192 and AES-256."""
        other = {"aes192": "aes192c", "aes192c": "aes192", "aes256": "aes256c", "aes256c": "aes256"}.get(self.priv, "")
        return f"; the device may derive its key differently: try {other}" if other else ""

    @property
    def level(self) -> int:
        """Security level: 1 without authentication, 2 with authentication, 3 also with encryption (RFC 3411)."""
        return 1 + bool(self.auth) + bool(self.priv)


def sign_in(auth: Mapping[str, Any], community: str = "public") -> Community | Usm:
    """Return the credentials of a device; `community` is the default.

    Raises
    ------
    ConfigError
        A key or version is unknown, an algorithm is weak and not allowed, or a secret is missing or too short.
    """
    unknown = sorted(set(auth) - _KEYS)
    if unknown:
        raise ConfigError(f"auth has unknown keys {unknown}", f"known: {sorted(_KEYS)}")
    version = str(auth.get("snmp", "2c"))
    if version not in _VERSIONS:
        raise ConfigError(f"SNMP version {version!r} is unknown", f"one of {sorted(_VERSIONS)}")
    if version == "3":
        return _user(auth)
    if unsupported := sorted({"context", "context_engine"} & set(auth)):
        raise ConfigError(f"SNMP {version} has no {' and no '.join(unsupported)}", 'contexts need snmp = "3"')
    return Community(version, resolve(str(auth["community"])) if "community" in auth else Secret(community))


def _user(auth: Mapping[str, Any]) -> Usm:
    if not auth.get("user"):
        raise ConfigError("SNMPv3 needs a user", "set auth.user")
    if auth.get("priv") and not auth.get("auth"):
        raise ConfigError("SNMPv3 does not encrypt without authentication", "set auth.auth and auth.auth_password")
    signs, auth_password = _kind(auth, "auth", AUTH, WEAK_AUTH)
    encrypts, priv_password = _kind(auth, "priv", PRIV, WEAK_PRIV)
    context = str(auth.get("context") or "")
    engine = _engine(str(auth.get("context_engine") or ""))
    return Usm(str(auth["user"]), signs, auth_password, encrypts, priv_password, context, engine)


def _engine(text: str) -> bytes:
    """Return an engine id from its hexadecimal digits."""
    try:
        engine = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        engine = b"?"
    if text and len(engine) not in _ENGINE_OCTETS:
        raise ConfigError(
            f"context_engine {text!r} is not an engine id", "write 5 to 32 octets, like 80001f8803001122334455"
        )
    return engine


def _kind(auth: Mapping[str, Any], field: str, strong: tuple[str, ...], weak: tuple[str, ...]) -> tuple[str, Secret]:
    kind = str(auth.get(field) or "")
    if not kind:
        return "", _NONE
    if kind in weak and str(auth.get("allow_weak", "")).lower() != "true":
        raise ConfigError(
            f"{field} {kind!r} is not safe", f"use one of {sorted(strong)}, or set allow_weak = true in the same auth"
        )
    if kind not in (*strong, *weak):
        raise ConfigError(f"unknown {field} {kind!r}", f"one of {sorted(strong)}")
    password = resolve(str(auth.get(f"{field}_password", "")))
    if not password.reveal():
        raise ConfigError(f"{field}_password is empty", f"set the secret that {field}_password refers to", "no_secret")
    if len(password.reveal()) < _LEAST_PASSWORD:
        raise ConfigError(
            f"{field}_password has fewer than {_LEAST_PASSWORD} characters, which SNMPv3 forbids (RFC 3414 11.2)",
            "set a longer one on the device and in the secret",
            "short_password",
        )
    return kind, password
