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
            profile = _load_named(path)
        except ProfileError as error:
            mistakes += [f"{path.name}: {mistake}" for mistake in error.mistakes]
            continue
        if profile.name in found:
            mistakes.append(f"{path.name}: another file has the name {profile.name!r}")
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
        The file has mistakes, or its profile another name.
    """
    if name.endswith(".toml"):
        try:
            return _load_named(Path(name))
        except OSError as error:
            raise ConfigError(f"{name} cannot be read: {error.strerror}", "check the path", "unknown_profile") from None
    try:
        return catalogue()[name]
    except KeyError:
        raise ConfigError(
            f"there is no device profile {name!r}", f"one of {sorted(catalogue())}, or auto", "unknown_profile"
        ) from None


def _load_named(path: Path) -> AnyProfile:
    """Load a profile that has the name of its file, by which a facility file names it."""
    profile = load(path)
    if profile.name != path.stem:
        raise ProfileError(path.name, [f'name: {profile.name!r} is not that of the file: write name = "{path.stem}"'])
    return profile
