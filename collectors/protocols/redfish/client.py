"""Requests to a Redfish service (DSP0266): one at a time, with a session or with user and password.

A session is created where the service offers them, deleted at the end, and created again where the service has expired
it. Without a session (none free, or not supported) every request carries user and password.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from collectors.device import PolledDevice, bearer, unreachable, user_and_password, web_client
from collectors.errors import AccessDenied, BadAnswer, ConfigError, Unreachable

ROOT = "/redfish/v1/"
_HINT = "is this the address of a BMC?"
_MOST_HOPS = 3
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
        if answer.status_code == httpx.codes.UNAUTHORIZED and self._session:
            await self._sign_in()
            answer = await self._request("GET", path)
        where, status = urljoin(self._base, path), answer.status_code
        if status == httpx.codes.UNAUTHORIZED:
            raise AccessDenied(f"{where} answered 401", "check user and password in the device's auth")
        if status in (httpx.codes.FORBIDDEN, httpx.codes.NOT_FOUND, httpx.codes.GONE):
            raise Gone(f"{where} answered {status}", "does the user's role include it?", f"http_{status}")
        if status != httpx.codes.OK:
            raise BadAnswer(f"{where} answered {status}", "see the log of the BMC", f"http_{status}")
        try:
            body = answer.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise BadAnswer(f"{where} did not return a JSON object", _HINT, "not_json")
        return body

    async def close(self) -> None:
        """Delete the session and close the connection."""
        try:
            if self._session:
                await self._request("DELETE", self._session)
        except Unreachable:
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
            if answer.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
                where = urljoin(self._base, self._sessions)
                raise AccessDenied(f"{where} answered {answer.status_code}", "check user and password in the auth")
            token = answer.headers.get("X-Auth-Token")
            if answer.is_success and token:
                self._client.headers["X-Auth-Token"] = token
                self._session = urlsplit(answer.headers.get("Location", "")).path
                return
        self._client.auth = httpx.BasicAuth(name, password)

    async def _request(self, method: str, path: str, body: object = None) -> httpx.Response:
        """Send a request; follow redirections on this host only, so that credentials go nowhere else."""
        url = urljoin(self._base, path)
        for _ in range(_MOST_HOPS):
            try:
                answer = await self._client.request(method, url, json=body)
            except httpx.HTTPError as error:
                raise unreachable(url, error, _HINT) from None
            if not answer.has_redirect_location:
                return answer
            url = urljoin(url, answer.headers["Location"])
            if urlsplit(url).hostname != urlsplit(self._base).hostname:
                raise BadAnswer(
                    f"{self._base} redirects to {url}", "use that address in the facility file", "redirected"
                )
        raise BadAnswer(f"{self._base} redirects in circles", _HINT, "redirected")


def link(body: object, name: str) -> str | None:
    """Return the path of a link of a resource; None without one to this service."""
    target = body.get(name) if isinstance(body, Mapping) else None
    return path_of(target)


def path_of(reference: object) -> str | None:
    """Return the path of an `@odata.id`; None if it is invalid or leads elsewhere."""
    path = reference.get("@odata.id") if isinstance(reference, Mapping) else None
    return path if isinstance(path, str) and path.startswith("/") and not path.startswith("//") else None
