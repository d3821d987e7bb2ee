"""How a device is reached over HTTP: certificates, credentials, and no proxy. Beside the drivers of exporters and
Redfish services the only module that sees httpx for devices."""

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
    """A client that trusts what the device's auth says; it does not sign in.

    Raises
    ------
    ConfigError
        The auth has keys that are not for the web, or names a CA file that cannot be read.
    """
    unknown = sorted(set(device.auth) - _KEYS)
    if unknown:
        raise ConfigError(f"auth has unknown keys {unknown}", f"known: {sorted(_KEYS)}")
    # A proxy of the environment leads to the world outside; devices are inside.
    return httpx.AsyncClient(timeout=device.timeout_s, trust_env=False, verify=_trust(device.auth), headers=headers)


def bearer(auth: Mapping[str, Any]) -> dict[str, str]:
    """The header of a token; empty without one."""
    return {"Authorization": f"Bearer {resolve(str(auth['token'])).reveal()}"} if "token" in auth else {}


def user_and_password(auth: Mapping[str, Any]) -> tuple[str, str] | None:
    """Who signs in, and with what; None where the auth names nobody."""
    if "user" not in auth:
        return None
    return str(auth["user"]), resolve(str(auth.get("password", ""))).reveal()


def unreachable(url: str, error: httpx.HTTPError, hint: str) -> Unreachable:
    """A failed request in our words."""
    if isinstance(error, httpx.TimeoutException):
        return Unreachable(f"{url} did not answer in time", hint)
    if _NOT_TRUSTED in str(error):
        way = 'name its CA in the auth (ca = "PATH"), or write insecure = true to trust it unseen'
        return Unreachable(f"{url}: nobody we trust has signed its certificate: {error}", way, "bad_certificate")
    return Unreachable(f"{url}: {error}", hint, "no_connection")


def _trust(auth: Mapping[str, Any]) -> ssl.SSLContext:
    insecure, ca = bool(auth.get("insecure")), auth.get("ca")
    if insecure and ca:
        raise ConfigError("auth names a CA and is insecure too", "keep one of ca and insecure")
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
