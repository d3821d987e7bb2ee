"""Settings of the operator: environment variables named `WATTLINE_…`."""

from __future__ import annotations

import ipaddress
import math
import re
import socket
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from app import paths
from app.domain.access import JobPolicy
from app.sign_in_settings import SignInSettings, require_networks, separated_by_commas

QuantityClass = Literal["power", "energy", "electrical", "environment", "activity"]
"""power: W, VA, var, caps; energy: counters; electrical: A, V, Hz, power factor; environment: °C, humidity; activity:
utilization, states."""


class Keep(BaseModel):
    """For how many days a class of quantities is kept; None means forever.

    Minutes and hours exist only for power and current of nodes, PDUs, lines, racks, rooms and sites.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    full_days: int | None = Field(default=None, ge=1, description="every sample")
    minute_days: int | None = Field(default=None, ge=1, description="figures of every minute, then of every hour")
    hour_days: int | None = Field(default=None, ge=1, description="figures of every hour, then nothing")

    @model_validator(mode="after")
    def _coarser_is_kept_longer(self) -> Self:
        days = [math.inf if d is None else d for d in (self.full_days, self.minute_days, self.hour_days)]
        if days != sorted(days):
            raise ValueError("full_days ≤ minute_days ≤ hour_days: coarser data is kept longer (null means forever)")
        return self


class AlertReceiver(BaseModel):
    """A receiver of alerts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")
    form: Literal["alertmanager", "slack", "mattermost", "teams", "email"]
    url: SecretStr = Field(description="webhook, or smtp://USER:PASSWORD@HOST:PORT (smtps:// for TLS from the start)")
    to: tuple[str, ...] = Field(default=(), description="recipients of e-mail")
    sender: str = Field(default="", description="sender of e-mail")
    level: Literal["warn", "crit"] = Field(default="warn", description="the lowest level that is sent")
    rules: tuple[str, ...] = Field(default=(), description="rules that are sent; all if empty")
    quiet: str = Field(
        default="",
        pattern=r"^$|^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$",
        description="hours in which only critical alerts are sent, e.g. 22:00-07:00",
    )
    timezone: str = Field(default="UTC", description="time zone of the quiet hours")

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        url = urlsplit(self.url.get_secret_value())
        schemes = ("smtp", "smtps") if self.form == "email" else ("http", "https")
        if url.scheme not in schemes or not url.hostname:
            raise ValueError(f"url of {self.name} is not an address with {' or '.join(f'{s}://' for s in schemes)}")
        if self.form == "email" and not (self.to and "@" in self.sender and all("@" in to for to in self.to)):
            raise ValueError(f"receiver {self.name} needs `to` and `sender`: addresses of e-mail")
        try:
            ZoneInfo(self.timezone)
        except (ValueError, OSError, KeyError):
            raise ValueError(f"{self.timezone!r} is not a time zone such as Europe/Berlin") from None
        return self


class Settings(SignInSettings):
    """Settings of one server process. Each field is set by the variable `WATTLINE_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="WATTLINE_", env_ignore_empty=True, extra="ignore", frozen=True)

    data_dir: Path = Field(
        default_factory=paths.data_dir,
        description="directory of the embedded database and outbox; the demo uses `demo` inside it",
    )
    database_url: str = Field(
        default_factory=lambda data: f"sqlite:///{data['data_dir'] / 'wattline.db'}",
        description="SQLite or PostgreSQL",
    )
    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8000, ge=0, le=65535, description="port to listen on")
    read_token: SecretStr | None = Field(default=None, description="bearer token for reading")
    ingest_token: SecretStr | None = Field(
        default=None, description="bearer token for delivering readings, registering jobs and reading"
    )
    admin_token: SecretStr | None = Field(
        default=None,
        description="bearer token that also allows changes of the facility; without it the ingest token allows them",
    )
    max_body_bytes: int = Field(default=64 * 2**20, ge=1024, description="largest request body in bytes")

    max_connections: int = Field(default=800, ge=10, description="most open connections; more are closed at once")
    local_mode: bool | None = Field(
        default=None,
        description="whether the user that runs the server needs no token on the same machine where none is set; "
        "yes for `wattline up`, no for `wattline serve` if not set",
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto count, separated by "
        "commas, e.g. 127.0.0.1, 10.0.0.0/24; none if empty",
    )
    path_prefix: str = Field(
        default="", description="path below which a proxy serves pages and API, e.g. /wattline; none if empty"
    )
    tls_certificate: Path | None = Field(
        default=None, description="file with the certificate and its chain (PEM): the server then speaks HTTPS only"
    )
    tls_key: Path | None = Field(default=None, description="file with the key of the certificate (PEM)")
    hsts_days: int = Field(
        default=0, ge=0, description="days for which browsers use HTTPS only for this host (HSTS); not sent if 0"
    )
    jobs_of_others: JobPolicy = Field(
        default="totals",
        description="what users see of jobs of other people: hidden (nothing), totals (energy and times without name, "
        "user, tags and curve) or open",
    )

    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="origins whose pages may call the API from a browser, separated by commas, e.g. "
        "https://grafana.example.org; none if empty",
    )

    keep: dict[QuantityClass, Keep] = Field(
        default_factory=dict,
        description='days by class as JSON, e.g. {"power": {"full_days": 90, "minute_days": 730}}; classes not named '
        "are kept forever",
    )
    alert_webhook: SecretStr | None = Field(
        default=None, description="http(s) address that receives alerts by POST; it may hold a secret"
    )
    alert_receivers: tuple[AlertReceiver, ...] = Field(
        default=(),
        description='receivers of alerts as JSON, e.g. [{"name": "ops", "form": "slack", "url": "https://…"}]; may '
        "hold secrets",
    )
    alert_networks: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="networks and host names (with *) that receivers of alerts may have, separated by commas; all but "
        "link-local ones if empty",
    )
    public_url: str = Field(
        default="",
        description="address at which users reach the dashboard, for one-time links and messages, e.g. https://wattline.example.org",
    )
    alert_days: int = Field(default=365, ge=1, description="days for which an alert is kept after it ended")

    @field_validator("cors_origins", "trusted_proxies", "alert_networks", mode="before")
    @classmethod
    def _separated_by_commas(cls, given: object) -> object:
        return separated_by_commas(given)

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for origin in given:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or origin != f"{parts.scheme}://{parts.netloc}" or "*" in origin:
                raise ValueError(f"{origin!r} is not an origin such as https://grafana.example.org: name each origin")
        return given

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        return require_networks(given)

    @field_validator("path_prefix")
    @classmethod
    def _is_a_path(cls, given: str) -> str:
        prefix = given.rstrip("/")
        if prefix and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", prefix):
            raise ValueError(f"{given!r} is not a path such as /wattline")
        return prefix

    @model_validator(mode="after")
    def _certificate_and_key(self) -> Self:
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("WATTLINE_TLS_CERTIFICATE and WATTLINE_TLS_KEY belong together: set both or none")
        return self

    @field_validator("alert_receivers")
    @classmethod
    def _have_their_own_names(cls, given: tuple[AlertReceiver, ...]) -> tuple[AlertReceiver, ...]:
        names = [one.name for one in given]
        if len(set(names)) < len(names) or "webhook" in names:
            raise ValueError("each receiver needs a name of its own, and `webhook` is that of WATTLINE_ALERT_WEBHOOK")
        return given

    @field_validator("public_url")
    @classmethod
    def _is_public(cls, given: str) -> str:
        url = urlsplit(given)
        if given and not (url.scheme in ("http", "https") and url.hostname):
            raise ValueError(f"{given!r} is not an http:// or https:// address")
        return given.rstrip("/")

    @field_validator("alert_webhook")
    @classmethod
    def _is_an_address(cls, given: SecretStr | None) -> SecretStr | None:
        url = urlsplit(given.get_secret_value()) if given is not None else None
        if url is not None and not (url.scheme in ("http", "https") and url.hostname):
            raise ValueError("not an http:// or https:// address")
        return given

    @property
    def address(self) -> str:
        """Return the address of the dashboard for people, as far as the server knows it if it is not declared."""
        if self.public_url:
            return self.public_url
        scheme = "https" if self.tls_certificate else "http"
        host = self.host if self.on_loopback else socket.gethostname()
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.port}{self.path_prefix}"

    @property
    def on_loopback(self) -> bool:
        """Return whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False
