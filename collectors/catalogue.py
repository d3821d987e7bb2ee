"""Every profile we ship, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from collectors.errors import ConfigError, ProfileError
from collectors.profile import AnyProfile, load

FOLDER = Path(__file__).parent / "profiles"


def profile_files(folder: Path = FOLDER) -> Iterator[Path]:
    """The profile files below a folder; names that begin with an underscore are examples."""
    return (path for path in sorted(folder.glob("*/*.toml")) if not path.name.startswith("_"))


def load_all(folder: Path = FOLDER) -> Mapping[str, AnyProfile]:
    """All profiles of a folder.

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
            mistakes.append(f"{path.name}: the name {profile.name!r} is taken or is not the file's")
        found[profile.name] = profile
    if mistakes:
        raise ProfileError("profiles", mistakes)
    return found


@cache
def catalogue() -> Mapping[str, AnyProfile]:
    """The shipped profiles, read once."""
    return load_all()


def find(name: str) -> AnyProfile:
    """The profile of a name.

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
