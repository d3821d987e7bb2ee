"""The identity provider of the settings: discovery, keys, and the exchange of a code for who signed in (Authlib).

OpenID Connect Core 1.0, Discovery 1.0, RP-Initiated Logout 1.0; PKCE is RFC 7636. Requests go to the configured issuer
and to the addresses that it names, follow no redirect, and read at most 1 MiB.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote_plus, urlencode, urlsplit

import httpx
import orjson
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import get_well_known_url
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from app.errors import Unauthorized, Unavailable
from app.services.single_sign_on.attempt import Attempt
from app.settings import Settings
from app.sign_in_settings import is_local_http
from collectors.contract import HOUR_MS

_LOG = logging.getLogger("wattline.sign_in")
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a public key: never `none`, and no shared secret."""
LEEWAY_S = 60
_FRESH_MS = HOUR_MS
_TIMEOUT_S = 10.0
_MOST_BYTES = 2**20


class IdentityProvider:
    """The identity provider. Safe to share between threads: what it keeps is replaced as a whole."""

    def __init__(self, settings: Settings, now_ms: Callable[[], int]) -> None:
        self._settings = settings
        self._now_ms = now_ms
        self._found: tuple[int, Mapping[str, Any]] | None = None
        self._keys: tuple[int, Any] | None = None

    @property
    def issuer(self) -> str:
        """Return the issuer."""
        return self._settings.oidc_issuer

    def authorization_url(self, attempt: Attempt, back: str) -> str:
        """Return where the browser goes to sign in; it comes back to `back`.

        Raises
        ------
        Unavailable
        """
        url: str = prepare_grant_uri(
            self._endpoint("authorization_endpoint"),
            client_id=self._settings.oidc_client_id,
            response_type="code",
            redirect_uri=back,
            scope=self._settings.oidc_scope,
            state=attempt.state,
            nonce=attempt.nonce,
            code_challenge=create_s256_code_challenge(attempt.verifier),
            code_challenge_method="S256",
        )
        return url

    def sign_out_url(self, back: str) -> str | None:
        """Return where a browser ends its session at the provider; None if the provider has no such address."""
        try:
            if not self._metadata().get("end_session_endpoint"):
                return None
            endpoint = self._endpoint("end_session_endpoint")
        except Unavailable:
            return None
        query = {"client_id": self._settings.oidc_client_id, "post_logout_redirect_uri": back}
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(query)}"

    def claims(self, code: str, attempt: Attempt, back: str) -> Mapping[str, Any]:
        """Exchange a code for the verified claims of who signed in.

        Raises
        ------
        Unauthorized, Unavailable
        """
        token = self._exchange(code, attempt, back)
        if not isinstance(token.get("id_token"), str):
            raise failed("the provider sent no ID token; the scope has to include openid")
        claims = dict(self._verified(token, attempt.nonce))
        wanted = {self._settings.oidc_user_claim, self._settings.oidc_groups_claim.partition(".")[0]}
        if wanted - claims.keys() and self._metadata().get("userinfo_endpoint") and token.get("access_token"):
            more = self._user_info(str(token["access_token"]))
            if more.get("sub") != claims["sub"]:
                raise failed("the user information is about another user than the ID token")
            claims = {**more, **claims}
        return claims

    def _verified(self, token: Mapping[str, Any], nonce: str) -> Mapping[str, Any]:
        try:
            try:
                decoded = jwt.decode(token["id_token"], self._key_set(), registry=self._registry())
            except InvalidKeyIdError:  # the provider has new keys
                decoded = jwt.decode(token["id_token"], self._key_set(force=True), registry=self._registry())
            client = self._settings.oidc_client_id
            options = {
                "iss": {"essential": True, "value": self.issuer},
                "aud": {"essential": True, "value": client},
                "nonce": {"essential": True, "value": nonce},
            }
            parameters = {"nonce": nonce, "client_id": client, "access_token": token.get("access_token")}
            claims = CodeIDToken(decoded.claims, decoded.header, options, parameters)
            claims.validate(now=self._now_ms() // 1000, leeway=LEEWAY_S)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise failed(f"the ID token is not valid: {error}") from error
        if not isinstance(claims["sub"], str) or not claims["sub"]:
            raise failed("the ID token names no subject")
        return dict(claims)

    def _registry(self) -> JWSRegistry:
        announced = self._metadata().get("id_token_signing_alg_values_supported") or ["RS256"]
        return JWSRegistry(algorithms=[a for a in ALGORITHMS if a in announced], strict_check_header=False)

    def _exchange(self, code: str, attempt: Attempt, back: str) -> Mapping[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": back,
            "code_verifier": attempt.verifier,
        }
        client, secret = self._settings.oidc_client_id, self._settings.oidc_client_secret
        methods = self._metadata().get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        auth: httpx.BasicAuth | None = None
        if secret is not None and "client_secret_basic" in methods:  # RFC 6749, 2.3.1: encoded as in a form
            auth = httpx.BasicAuth(quote_plus(client), quote_plus(secret.get_secret_value()))
        else:
            form["client_id"] = client
            if secret is not None:
                form["client_secret"] = secret.get_secret_value()
        return self._ask("POST", self._endpoint("token_endpoint"), data=form, auth=auth)

    def _user_info(self, access_token: str) -> Mapping[str, Any]:
        headers = {"Authorization": f"Bearer {access_token}"}
        return self._ask("GET", self._endpoint("userinfo_endpoint"), headers=headers)

    def _metadata(self) -> Mapping[str, Any]:
        now_ms = self._now_ms()
        if self._found is None or not 0 <= now_ms - self._found[0] < _FRESH_MS:
            found = self._ask("GET", get_well_known_url(self.issuer, external=True))
            if not secrets.compare_digest(str(found.get("issuer")).encode(), self.issuer.encode()):
                raise away(f"it says it is {str(found.get('issuer'))[:200]!r}, not {self.issuer!r}")
            self._found = (now_ms, found)
        return self._found[1]

    def _key_set(self, *, force: bool = False) -> KeySet:
        now_ms = self._now_ms()
        if force or self._keys is None or not 0 <= now_ms - self._keys[0] < _FRESH_MS:
            found = self._ask("GET", self._endpoint("jwks_uri"))
            self._keys = (now_ms, KeySet.import_key_set(found))  # type: ignore[arg-type]
        found_keys: KeySet = self._keys[1]
        return found_keys

    def _endpoint(self, name: str) -> str:
        url = str(self._metadata().get(name, ""))
        if not (url.startswith("https://") or (is_local_http(self.issuer) and is_local_http(url))):
            raise away(f"its {name} is not an https:// address")
        return url

    def _ask(self, method: str, url: str, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - arguments of httpx
        try:
            with (
                httpx.Client(timeout=_TIMEOUT_S) as client,
                client.stream(method, url, **request) as response,
            ):
                body = b""
                for part in response.iter_bytes():
                    body += part
                    if len(body) > _MOST_BYTES:
                        raise away(f"{url} answered more than {_MOST_BYTES} bytes")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise away(f"{url} does not respond: {error}") from error
        if response.status_code in (400, 401) and method == "POST":
            raise failed(f"the provider refused the code: {body[:200]!r}")
        try:
            found = orjson.loads(body)
        except ValueError:
            found = None
        if response.status_code != 200 or not isinstance(found, dict):
            raise away(f"{url} answered {response.status_code} instead of a document")
        return found


def identity_provider(settings: Settings, now_ms: Callable[[], int]) -> IdentityProvider | None:
    """Return the identity provider of the settings; None without one."""
    return IdentityProvider(settings, now_ms) if settings.oidc_issuer else None


def failed(why: str) -> Unauthorized:
    """Return the error of an attempt that is not accepted; the reason is for the log."""
    _LOG.warning("single sign-on refused: %s", why)
    return Unauthorized(f"single sign-on failed: {why}", "sign in again", code="sign_on_failed")


def away(why: str) -> Unavailable:
    """Return the error of a provider that cannot be used; the reason is for the log."""
    _LOG.warning("the identity provider cannot be used: %s", why)
    return Unavailable(
        f"the identity provider cannot be used: {why}", "try again, or sign in another way", code="provider_away"
    )
