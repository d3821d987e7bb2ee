"""HTTP clients for devices: certificates, credentials, no proxy."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from functools import cache
from typing import Any

import httpx

from collectors.device.device import PolledDevice
from collectors.device.secret import resolve
from collectors.errors import ConfigError, Unreachable

_KEYS = frozenset({"token", "user", "password", "ca", "insecure", "sign_in"})
_NOT_TRUSTED = "CERTIFICATE_VERIFY_FAILED"


def web_client(device: PolledDevice, **headers: str) -> httpx.AsyncClient:
    """Return a client with the trust settings of the device's auth; it does not sign in.

    Raises
    ------
    ConfigError
        The auth has keys that do not apply to HTTP, or names a CA file that cannot be read.
    """
    unknown = sorted(set(device.auth) - _KEYS)
    if unknown:
        raise ConfigError(f"auth has unknown keys {unknown}", f"known: {sorted(_KEYS)}")
    # A proxy set in the environment leads out of the network that devices are in.
    return httpx.AsyncClient(timeout=device.timeout_s, trust_env=False, verify=_trust(device.auth), headers=headers)


def bearer(auth: Mapping[str, Any]) -> dict[str, str]:
    """Return the header for a token; empty without one."""
    return {"Authorization": f"Bearer {resolve(str(auth['token'])).reveal()}"} if "token" in auth else {}


def user_and_password(auth: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return user and password; None if the auth names no user."""
    if "user" not in auth:
        return None
    return str(auth["user"]), resolve(str(auth.get("password", ""))).reveal()


def unreachable(url: str, error: httpx.HTTPError, hint: str) -> Unreachable:
    """Return the error for a failed request."""
    if isinstance(error, httpx.TimeoutException):
        return Unreachable(f"{url} did not answer in time", hint)
    if _NOT_TRUSTED in str(error):
        suggested_fix = 'name its CA in the auth (ca = "PATH"), or set insecure = true to skip verification'
        return Unreachable(f"{url}: its certificate is not trusted: {error}", suggested_fix, "bad_certificate")
    return Unreachable(f"{url}: {error}", hint, "no_connection")


def _trust(auth: Mapping[str, Any]) -> ssl.SSLContext:
    insecure, ca = bool(auth.get("insecure")), auth.get("ca")
    if insecure and ca:
        raise ConfigError("auth sets both ca and insecure", "keep one of them")
    try:
        return _context(None if ca is None else str(ca), insecure)
    except OSError as error:
        raise ConfigError(f"the CA file {ca} cannot be read", str(error.strerror or error), "bad_ca") from None


@cache
def _context(ca: str | None, insecure: bool) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=ca)
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
