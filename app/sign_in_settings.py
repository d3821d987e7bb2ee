"""Settings of single sign-on, of proxies that state users, and of privacy."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode

from app.domain.access import Role

_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,60}")
_CLAIM = re.compile(r"[^\s.]+(\.[^\s.]+)*")


def separated_by_commas(given: object) -> object:
    """Return the parts of a text with commas; anything else as it is."""
    return tuple(filter(None, (part.strip() for part in given.split(",")))) if isinstance(given, str) else given


def require_networks(given: Sequence[str]) -> tuple[str, ...]:
    """Return addresses and networks; raise ValueError for anything else."""
    for network in given:
        try:
            ipaddress.ip_network(network)
        except ValueError:
            raise ValueError(f"{network!r} is not an address or a network such as 10.0.0.0/24") from None
    return tuple(given)


class SignInSettings(BaseSettings):
    """Which users may sign in, and how."""

    session_hours: int = Field(
        default=24, ge=1, le=24 * 90, description="hours after which a user has to sign in again"
    )
    oidc_issuer: str = Field(
        default="",
        description="issuer of OpenID Connect, e.g. https://login.example.org/realms/hpc: the only one whose users "
        "sign in, see [users.md](users.md#single-sign-on); no single sign-on if empty",
    )
    oidc_client_id: str = Field(default="", description="client that the issuer knows this server as")
    oidc_client_secret: SecretStr | None = Field(
        default=None, description="secret of this client; a public client, which has PKCE alone, if not set"
    )
    oidc_label: str = Field(
        default="single sign-on", max_length=60, description="name of the issuer on the sign-in page"
    )
    oidc_scope: str = Field(default="openid profile", description="scopes that are asked for, separated by spaces")
    oidc_user_claim: str = Field(default="preferred_username", description="claim with the user name, as in jobs")
    oidc_groups_claim: str = Field(
        default="groups", description="claim with the groups; with dots inside an object, e.g. realm_access.roles"
    )
    group_roles: dict[str, tuple[Role, ...]] = Field(
        default_factory=dict,
        description='roles by group as JSON, e.g. {"hpc-users": ["researcher"], "*": ["viewer"]}, for single sign-on '
        "and for users that a proxy states; who has no role may not sign in",
    )
    user_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="addresses and networks of proxies that sign users in and state them in a header, separated by "
        "commas, see [reverse-proxy.md](reverse-proxy.md#a-proxy-that-signs-users-in); none if empty",
    )
    user_header: str = Field(default="X-Remote-User", description="header with the user name, from those proxies only")
    groups_header: str = Field(
        default="X-Remote-Groups", description="header with the groups, separated by commas, from those proxies only"
    )

    audit_days: int | None = Field(
        default=None,
        ge=1,
        description="days for which an entry of the audit log is kept; for good if not set",
    )
    pseudonymize_days: int | None = Field(
        default=None,
        ge=1,
        description="days after the last sign-in, use of a token and end of a job of a user, after which the name is "
        "replaced by a random one for good, see [users.md](users.md#privacy); never if not set",
    )

    @field_validator("user_proxies", mode="before")
    @classmethod
    def _proxies_are_separated(cls, given: object) -> object:
        return separated_by_commas(given)

    @field_validator("user_proxies")
    @classmethod
    def _proxies_are_networks(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        return require_networks(given)

    @field_validator("user_header", "groups_header")
    @classmethod
    def _is_a_header(cls, given: str) -> str:
        if not _HEADER.fullmatch(given):
            raise ValueError(f"{given!r} is not the name of a header such as X-Remote-User")
        return given

    @field_validator("oidc_user_claim", "oidc_groups_claim")
    @classmethod
    def _is_a_claim(cls, given: str) -> str:
        if not _CLAIM.fullmatch(given):
            raise ValueError(f"{given!r} is not the name of a claim such as groups")
        return given

    @field_validator("oidc_issuer")
    @classmethod
    def _is_an_issuer(cls, given: str) -> str:
        url = urlsplit(given)
        is_plain = not (url.query or url.fragment or url.username)
        if given and not (is_plain and url.hostname and (url.scheme == "https" or is_local_http(given))):
            raise ValueError(f"{given!r} is not an https:// address such as https://login.example.org/realms/hpc")
        return given

    @model_validator(mode="after")
    def _issuer_and_client(self) -> Self:
        if self.oidc_issuer and not self.oidc_client_id:
            raise ValueError("WATTLINE_OIDC_ISSUER needs WATTLINE_OIDC_CLIENT_ID")
        if (self.oidc_issuer or self.user_proxies) and not self.group_roles:
            raise ValueError(
                "WATTLINE_OIDC_ISSUER and WATTLINE_USER_PROXIES need WATTLINE_GROUP_ROLES: without a role no user may "
                'sign in; {"*": ["viewer"]} gives everybody one'
            )
        return self


def is_local_http(url: str) -> bool:
    """Return whether an address is plain http on this machine."""
    parts = urlsplit(url)
    try:
        return parts.scheme == "http" and ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return False
