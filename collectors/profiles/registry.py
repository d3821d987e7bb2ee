"""The profiles shipped with Wattline and those of the user, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from collectors.contract import PROFILE_FOLDER, profile_files
from collectors.errors import ConfigError, ProfileError
from collectors.profiles.profile import AnyProfile, SnmpProfile, load

FOLDER = PROFILE_FOLDER


def load_all(folder: Path = FOLDER) -> Mapping[str, AnyProfile]:
    """Load all profiles of a folder.

    Raises
    ------
    ProfileError
        With every mistake of every file, or when two files carry one name.
    """
    found: dict[str, AnyProfile] = {}
    mistakes: list[str] = []
    for path in profile_files(folder):
        try:
            profile = load(path)
        except ProfileError as error:
            mistakes += [f"{path.name}: {mistake}" for mistake in error.mistakes]
            continue
        if profile.name in found or profile.name != path.stem:
            mistakes.append(f"{path.name}: the name {profile.name!r} is already used or differs from the file name")
        found[profile.name] = profile
    if mistakes:
        raise ProfileError("profiles", mistakes)
    return found


@cache
def catalogue() -> Mapping[str, AnyProfile]:
    """Return the shipped profiles and the user's own (`WATTLINE_PROFILES`), loaded once."""
    return load_all()


@cache
def generic_profiles() -> tuple[SnmpProfile, ...]:
    """Return the SNMP profiles of standards, the more precise first."""
    found = [profile for profile in catalogue().values() if profile.protocol == "snmp" and profile.is_generic]
    return tuple(sorted(found, key=lambda profile: (profile.identify.breadth, profile.name)))


def find(name: str) -> AnyProfile:
    """Return the profile with this name, or in this file (`./my-device.toml`).

    Raises
    ------
    ConfigError
        There is none.
    ProfileError
        The file has mistakes.
    """
    if name.endswith(".toml"):
        try:
            return load(Path(name))
        except OSError as error:
            raise ConfigError(f"{name} cannot be read: {error.strerror}", "check the path", "unknown_profile") from None
    try:
        return catalogue()[name]
    except KeyError:
        raise ConfigError(
            f"there is no device profile {name!r}", f"one of {sorted(catalogue())}, or auto", "unknown_profile"
        ) from None
