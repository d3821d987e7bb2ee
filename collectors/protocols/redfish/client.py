"""Requests to a Redfish service (DSP0266): one at a time, with a session or with user and password.

A session is created where the service offers them, deleted at the end, and created again where the service has expired
it. Without a session (none free, or not supported) every request carries user and password.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from collectors.device import PolledDevice, WebAnswer, bearer, fetch, unreachable, user_and_password, web_client
from collectors.errors import AccessDenied, BadAnswer, ConfigError, DeviceError

ROOT = "/redfish/v1/"
_HINT = "is this the address of a BMC?"
_MOST_HOPS = 3
_MOST_BYTES = 4 * 2**20  # of one resource: a collection of 600 with its members included has about 2 MiB
_MOST_BYTES_A_TURN = 32 * 2**20
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SIGN_IN = ("session", "basic")

Resource = Mapping[str, Any]
"""A JSON object of the service."""


class Gone(BadAnswer):
    """The service does not return this resource; others may work."""


class NotAService(BadAnswer):
    """The address answers, but is not a Redfish service."""

    code = "not_redfish"


class RedfishClient:
    """One service."""

    def __init__(self, device: PolledDevice) -> None:
        self._sign_in_by = str(device.auth.get("sign_in", "session"))
        if self._sign_in_by not in _SIGN_IN:
            raise ConfigError(f"unknown sign_in {self._sign_in_by!r}", f"use one of {list(_SIGN_IN)}")
        self._base = device.address.web_root
        self._credentials = user_and_password(device.auth)
        self._client = web_client(device, **bearer(device.auth), Accept="application/json")
        self._sessions = ""
        self._session = ""
        self._left_bytes = _MOST_BYTES_A_TURN

    def begin(self) -> None:
        """Begin a poll or a discovery, whose resources together are limited in bytes."""
        self._left_bytes = _MOST_BYTES_A_TURN

    async def open(self) -> Resource:
        """Read the root of the service, which needs no credentials; then sign in.

        Raises
        ------
        NotAService
            It has no service root.
        Unreachable, AccessDenied, BadAnswer
        """
        try:
            root = await self.get(ROOT)
        except BadAnswer as error:
            raise NotAService(error.detail, _HINT) from None
        self._sessions = link(root.get("Links"), "Sessions") or ""
        if self._credentials:
            await self._sign_in()
        return root

    async def get(self, path: str) -> Resource:
        """Return the resource at a path.

        Raises
        ------
        Gone
            The service has no such resource, or denies access to it.
        Unreachable, AccessDenied, BadAnswer
        """
        answer = await self._request("GET", path)
        if answer.status == httpx.codes.UNAUTHORIZED and self._session:
            await self._sign_in()
            answer = await self._request("GET", path)
        where, status = urljoin(self._base, path), answer.status
        if status == httpx.codes.UNAUTHORIZED:
            raise AccessDenied(f"{where} answered 401", "check user and password in the device's auth")
        if status in (httpx.codes.FORBIDDEN, httpx.codes.NOT_FOUND, httpx.codes.GONE):
            raise Gone(f"{where} answered {status}", "does the user's role include it?", f"http_{status}")
        if status != httpx.codes.OK:
            raise BadAnswer(f"{where} answered {status}", "see the log of the BMC", f"http_{status}")
        try:
            body = json.loads(answer.body)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise BadAnswer(f"{where} did not return a JSON object", _HINT, "not_json")
        return body

    async def close(self) -> None:
        """Delete the session and close the connection."""
        try:
            if self._session:
                await self._request("DELETE", self._session)
        except DeviceError:
            pass  # the service expires the session
        finally:
            self._session = ""
            await self._client.aclose()

    async def _sign_in(self) -> None:
        name, password = self._credentials or ("", "")
        self._session = ""
        self._client.headers.pop("X-Auth-Token", None)
        if self._sign_in_by == "session" and self._sessions:
            answer = await self._request("POST", self._sessions, {"UserName": name, "Password": password})
            if answer.status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
                where = urljoin(self._base, self._sessions)
                raise AccessDenied(f"{where} answered {answer.status}", "check user and password in the auth")
            token = answer.headers.get("X-Auth-Token")
            if httpx.codes.is_success(answer.status) and token:
                self._client.headers["X-Auth-Token"] = token
                self._session = urlsplit(answer.headers.get("Location", "")).path
                return
        self._client.auth = httpx.BasicAuth(name, password)

    async def _request(self, method: str, path: str, body: object = None) -> WebAnswer:
        """Send a request; follow redirections on this host only, so that credentials go nowhere else."""
        url = urljoin(self._base, path)
        for _ in range(_MOST_HOPS):
            try:
                most_bytes = min(_MOST_BYTES, self._left_bytes)
                answer = await fetch(self._client, method, url, json=body, most_bytes=most_bytes)
            except httpx.HTTPError as error:
                raise unreachable(url, error, _HINT) from None
            self._left_bytes -= len(answer.body)
            if answer.status not in _REDIRECTS or "Location" not in answer.headers:
                return answer
            url = _target(url, answer.headers["Location"])
            if urlsplit(url).hostname != urlsplit(self._base).hostname:
                raise BadAnswer(
                    f"{self._base} redirects to {url}", "use that address in the facility file", "redirected"
                )
        raise BadAnswer(f"{self._base} redirects in circles", _HINT, "redirected")


def _target(url: str, location: str) -> str:
    """Return where a redirection leads."""
    try:
        target = urljoin(url, location)
        urlsplit(target)
    except ValueError:
        raise BadAnswer(f"{url} redirects to an invalid address", _HINT, "redirected") from None
    return target


def link(body: object, name: str) -> str | None:
    """Return the path of a link of a resource; None without one to this service."""
    target = body.get(name) if isinstance(body, Mapping) else None
    return path_of(target)


def path_of(reference: object) -> str | None:
    """Return the path of an `@odata.id`; None if it is invalid or leads elsewhere."""
    path = reference.get("@odata.id") if isinstance(reference, Mapping) else None
    return path if isinstance(path, str) and path.startswith("/") and not path.startswith("//") else None
