"""Names of the device profiles, shipped and own ones, without reading them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

PROFILE_FOLDER = Path(__file__).parent.parent / "profiles"


OWN_PROFILES = "WATTLINE_PROFILES"
"""Environment variable with the folder of the user's own profiles."""


def profile_files(folder: Path = PROFILE_FOLDER) -> Iterator[Path]:
    """Return the profile files below a folder, without examples, whose names begin with an underscore.

    The user's own profiles follow those that are shipped.
    """
    own = os.environ.get(OWN_PROFILES) if folder == PROFILE_FOLDER else None
    files = [*sorted(folder.glob("*/*.toml")), *(sorted(Path(own).glob("*.toml")) if own else ())]
    return (path for path in files if not path.name.startswith("_"))


def unknown_profile(name: object) -> str | None:
    """Return an error text for an unknown profile name; None if it is known or empty."""
    known = [path.stem for path in profile_files()]
    if not isinstance(name, str) or name in (*known, "auto"):
        return None
    near = get_close_matches(name, known, 1)
    suggestion = f"did you mean {near[0]!r}?" if near else '"auto" selects one automatically'
    return f"no collector of this version has a profile {name!r}; {suggestion}"
