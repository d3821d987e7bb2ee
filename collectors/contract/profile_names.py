"""Names of the device profiles that are shipped, without reading them."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

PROFILE_FOLDER = Path(__file__).parent.parent / "profiles"


def profile_files(folder: Path = PROFILE_FOLDER) -> Iterator[Path]:
    """Return the profile files below a folder, without examples, whose names begin with an underscore."""
    return (path for path in sorted(folder.glob("*/*.toml")) if not path.name.startswith("_"))


def unknown_profile(name: object) -> str | None:
    """Return an error text for an unknown profile name; None if it is known or empty."""
    known = [path.stem for path in profile_files()]
    if not isinstance(name, str) or name in (*known, "auto"):
        return None
    near = get_close_matches(name, known, 1)
    suggestion = f"did you mean {near[0]!r}?" if near else '"auto" selects one automatically'
    return f"no collector of this version has a profile {name!r}; {suggestion}"
