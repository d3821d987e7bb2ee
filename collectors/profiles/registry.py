"""The profiles shipped with Wattline, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from collectors.contract import PROFILE_FOLDER, profile_files
from collectors.errors import ConfigError, ProfileError
from collectors.profiles.points import SnmpPoints
from collectors.profiles.profile import AnyProfile, load

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
    found |= _included(found, mistakes)
    if mistakes:
        raise ProfileError("profiles", mistakes)
    return found


def _included(found: Mapping[str, AnyProfile], mistakes: list[str]) -> dict[str, AnyProfile]:
    """Return the profiles with the points and groups of those they include appended."""
    whole: dict[str, AnyProfile] = {}
    for profile in found.values():
        if profile.protocol != "snmp" or not profile.include:
            continue
        others = [other for name in profile.include if (other := found.get(name)) and other.protocol == "snmp"]
        if len(others) != len(profile.include) or any(other.include for other in others):
            mistakes.append(f"{profile.name}: include {list(profile.include)} must name SNMP profiles without includes")
            continue
        points = [*profile.points, *(_fallback(points) for other in others for points in other.points)]
        groups = {name: group for other in reversed(others) for name, group in other.groups.items()} | profile.groups
        whole[profile.name] = profile.model_copy(update={"points": tuple(points), "groups": groups})
    return whole


def _fallback(points: SnmpPoints) -> SnmpPoints:
    """Return the points as fallback, read only if no earlier one provides their values."""
    return points.model_copy(update={"values": tuple(v.model_copy(update={"fallback": True}) for v in points.values)})


@cache
def catalogue() -> Mapping[str, AnyProfile]:
    """Return the shipped profiles, loaded once."""
    return load_all()


def find(name: str) -> AnyProfile:
    """Return the profile with this name.

    Raises
    ------
    ConfigError
        There is none.
    """
    try:
        return catalogue()[name]
    except KeyError:
        raise ConfigError(
            f"there is no device profile {name!r}", f"one of {sorted(catalogue())}, or auto", "unknown_profile"
        ) from None
