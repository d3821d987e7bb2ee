"""The table of environment variables in docs/settings.md is that of the declared settings, and lacks none.

`python -m tests.server.test_settings_page` writes it.
"""

import re

from pydantic_core import PydanticUndefined

from app.settings import Settings
from app.sign_in_settings import SignInSettings
from tests.paths import DOCS, ROOT

DOCUMENT = DOCS / "settings.md"
BEGIN, END = "<!-- settings: python -m tests.server.test_settings_page -->\n", "<!-- end of settings -->\n"
COMPUTED = {
    "data_dir": "`var` in the working directory",
    "database_url": "`wattline.db` in the data directory",
    "keep": "everything is kept",
    "cors_origins": "none",
    "trusted_proxies": "none",
    "path_prefix": "none",
    "oidc_issuer": "none",
    "oidc_client_id": "",
    "user_proxies": "none",
    "group_roles": "",
}
INTERNAL = {"WATTLINE_SUPERVISED"}
"""Set by `wattline up` for its own children."""


def default_text(name, field):
    if name in COMPUTED:
        return COMPUTED[name]
    return "" if field.default in (None, "", (), PydanticUndefined) else f"`{field.default}`"


def table():
    rows = [
        f"| `WATTLINE_{name.upper()}` | {default_text(name, field)} | {field.description} |"
        for name, field in sorted(
            Settings.model_fields.items(), key=lambda item: item[0] in SignInSettings.model_fields
        )
    ]
    return "\n".join(["| variable | default | meaning |", "|---|---|---|", *rows, ""])


def test_the_document_shows_the_declared_settings():
    text = DOCUMENT.read_text("utf-8")
    assert text[text.index(BEGIN) + len(BEGIN) : text.index(END)] == table()


def test_every_variable_of_the_source_is_on_the_page():
    sources = [path for top in ("app", "collectors") for path in (ROOT / top).rglob("*.py")]
    used = {name for path in sources for name in re.findall(r"WATTLINE_[A-Z]+(?:_[A-Z]+)*", path.read_text("utf-8"))}
    shown = set(re.findall(r"`(WATTLINE_[A-Z_]+)`", DOCUMENT.read_text("utf-8")))
    assert used - INTERNAL - shown == set()


def test_every_setting_has_a_description():
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


if __name__ == "__main__":
    text = DOCUMENT.read_text("utf-8")
    DOCUMENT.write_text(text[: text.index(BEGIN) + len(BEGIN)] + table() + text[text.index(END) :], "utf-8")
