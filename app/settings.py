"""What the operator can set: environment variables named `WATTLINE_…`."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from app import paths


class Settings(BaseSettings):
    """Settings of one server process. Each field is the variable `WATTLINE_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="WATTLINE_", env_ignore_empty=True, extra="ignore", frozen=True)

    data_dir: Path = Field(default_factory=paths.data_dir, description="folder of the embedded database and outbox")
    database_url: str = Field(
        default_factory=lambda data: f"sqlite:///{data['data_dir'] / 'wattline.db'}",
        description="SQLite or PostgreSQL; the size of the installation is chosen by this alone",
    )
    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8000, ge=0, le=65535, description="port to listen on")
    read_token: SecretStr | None = Field(default=None, description="bearer token that may read")
    ingest_token: SecretStr | None = Field(
        default=None, description="bearer token that may deliver readings, register jobs and read"
    )
    admin_token: SecretStr | None = Field(
        default=None, description="bearer token that may also change the facility; without it the ingest token may"
    )
    max_body_bytes: int = Field(default=64 * 2**20, ge=1024, description="largest request body that is read")

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False
