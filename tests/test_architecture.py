"""Who may import whom, and how long things may be: the rules of the architecture, read from the source.

Each rule takes a module and names its violations. A rule that finds nothing in a bad source written for it
guards nothing, so every rule is tried on one.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULE_LINES = 300
FUNCTION_LINES = 60

IMPURE = {
    "asyncio", "http", "io", "locale", "logging", "multiprocessing", "numpy.random", "os", "pathlib", "random",
    "secrets", "select", "selectors", "shutil", "signal", "socket", "socketserver", "sqlite3", "ssl", "subprocess",
    "tempfile", "threading", "time", "urllib",
}  # fmt: skip
CLOCKS = (".now", ".today", ".utcnow")
PURE = {"app.domain": {"app.domain"}, "app.figures": {"app.domain", "app.figures"}}
COMMAND_LINE = {"app.cli"}
SQL = {"app.store", "app.models", "migrations"}
LIBRARIES = {
    "gufo": {"collectors.protocols.snmp_community"},
    "pymodbus": {
        "collectors.protocols.modbus_client",
        "collectors.protocols.modbus_endpoint",
        "collectors.simulator",
    },
    "pynvml": {"collectors.nvml_exporter.nvml"},
    "pysnmp": {"collectors.protocols.snmp_notifications", "collectors.protocols.snmp_usm", "collectors.simulator"},
}


@dataclass(frozen=True)
class Module:
    name: str
    is_package: bool
    source: str

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.source, self.name)

    def imports(self) -> Iterator[str]:
        """Every module this one imports, wherever in it; `from a import b` counts as a and as a.b."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node)
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
                yield from (arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant))

    def _base(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        parents = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*parents, node.module] if node.module else parents)


def modules(root: Path) -> list[Module]:
    found = []
    for path in sorted(path for top in ("app", "collectors", "migrations") for path in (root / top).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found.append(Module(name, is_package, path.read_text(encoding="utf-8")))
    return found


def within(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def the_middle_imports_only_what_is_pure(module: Module) -> Iterator[str]:
    own = [rooms for package, rooms in PURE.items() if within(module.name, {package})]
    if own:
        allowed = ({"numpy"} | own[0] | set(sys.stdlib_module_names)) - IMPURE
        for name in module.imports():
            if name != "app" and (within(name, IMPURE) or not within(name, allowed)):
                yield f"imports {name}"


def the_middle_only_computes(module: Module) -> Iterator[str]:
    if within(module.name, set(PURE)):
        for node in ast.walk(module.tree):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if called.endswith(CLOCKS):
                yield f"asks the clock: {called}"
            elif called in {"open", "print", "input"} or ".random." in called:
                yield f"does more than compute: {called}"


def collectors_never_import_the_server(module: Module) -> Iterator[str]:
    if within(module.name, {"collectors"}):
        yield from (f"imports {name}" for name in module.imports() if within(name, {"app"}))


def the_server_knows_only_the_contract(module: Module) -> Iterator[str]:
    if within(module.name, {"app"}) and not within(module.name, COMMAND_LINE):
        for name in module.imports():
            if within(name, {"collectors"}) and not within(name, {"collectors.frame"}) and name != "collectors":
                yield f"imports {name}"


def the_contract_depends_on_nothing(module: Module) -> Iterator[str]:
    if module.name == "collectors.frame":
        for name in module.imports():
            if name.partition(".")[0] not in sys.stdlib_module_names:
                yield f"imports {name}"


def sql_lives_in_the_store(module: Module) -> Iterator[str]:
    if not within(module.name, SQL):
        yield from (f"imports {name}" for name in module.imports() if within(name, {"sqlalchemy", "sqlmodel"}))


def only_a_client_sees_its_library(module: Module) -> Iterator[str]:
    for name in module.imports():
        owners = LIBRARIES.get(name.partition(".")[0])
        if owners is not None and not within(module.name, owners):
            yield f"imports {name}"


def sizes_stay_within_budget(module: Module) -> Iterator[str]:
    lines = module.source.count("\n")
    if lines > MODULE_LINES:
        yield f"has {lines} lines, not {MODULE_LINES} at most"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = _lines_without_docstring(node)
            if length > FUNCTION_LINES:
                yield f"{node.name} has {length} lines, not {FUNCTION_LINES} at most"


def _lines_without_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    length = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is not None:
        length -= (first.end_lineno or first.lineno) - first.lineno + 1
    return length


Rule = Callable[[Module], Iterator[str]]
RULES: tuple[Rule, ...] = (
    the_middle_imports_only_what_is_pure,
    the_middle_only_computes,
    collectors_never_import_the_server,
    the_server_knows_only_the_contract,
    the_contract_depends_on_nothing,
    sql_lives_in_the_store,
    only_a_client_sees_its_library,
    sizes_stay_within_budget,
)


def violations(root: Path, rule: Rule) -> list[str]:
    return sorted({f"{module.name} {what}" for module in modules(root) for what in rule(module)})


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_source_keeps_the_rule(rule: Rule):
    assert violations(ROOT, rule) == []


def test_there_is_something_to_read():
    names = {module.name for module in modules(ROOT)}
    assert {"app", "app.domain.curve", "collectors.frame"} <= names


LONG = "def long():\n    '''One.\n\n    Two.\n    '''\n" + "    x = 1\n" * 60

BAD = [
    (the_middle_imports_only_what_is_pure, "app/domain/bad.py", "import time", "imports time"),
    (the_middle_imports_only_what_is_pure, "app/domain/bad.py", "def f():\n    from os import path", "imports os"),
    (the_middle_imports_only_what_is_pure, "app/domain/bad.py", "import pandas as pd", "imports pandas"),
    (the_middle_imports_only_what_is_pure, "app/domain/bad.py", "from numpy import random", "imports numpy.random"),
    (the_middle_imports_only_what_is_pure, "app/domain/bad.py", "from app.store import frames", "imports app.store"),
    (the_middle_imports_only_what_is_pure, "app/domain/bad.py", "from app import store", "imports app.store"),
    (the_middle_imports_only_what_is_pure, "app/domain/bad.py", "from ..store import frames", "imports app.store"),
    (the_middle_imports_only_what_is_pure, "app/domain/bad.py", "from app.figures import theme", "imports app.figures"),
    (the_middle_imports_only_what_is_pure, "app/domain/__init__.py", "from .. import store", "imports app.store"),
    (the_middle_only_computes, "app/domain/bad.py", "import datetime\nx = datetime.datetime.now()", "asks the clock"),
    (the_middle_imports_only_what_is_pure, "app/figures/bad.py", "import plotly", "imports plotly"),
    (the_middle_only_computes, "app/figures/bad.py", "open('x')", "does more than compute: open"),
    (the_middle_only_computes, "app/domain/bad.py", "import numpy as np\nnp.random.default_rng()", "np.random"),
    (collectors_never_import_the_server, "collectors/bad.py", "from app.domain.curve import Curve", "imports app"),
    (collectors_never_import_the_server, "collectors/bad.py", "import importlib\nimportlib.import_module('app.main')",
     "imports app.main"),
    (the_server_knows_only_the_contract, "app/services/bad.py", "from collectors import runner", "collectors.runner"),
    (the_server_knows_only_the_contract, "app/services/bad.py", "import collectors.outbox", "collectors.outbox"),
    (the_contract_depends_on_nothing, "collectors/frame.py", "import numpy", "imports numpy"),
    (sql_lives_in_the_store, "app/api/routes/bad.py", "from sqlmodel import Session", "imports sqlmodel"),
    (sql_lives_in_the_store, "app/services/bad.py", "from sqlalchemy.engine import Engine", "imports sqlalchemy"),
    (only_a_client_sees_its_library, "collectors/runner.py", "from gufo.snmp.aio import SnmpSession", "gufo.snmp"),
    (only_a_client_sees_its_library, "collectors/protocols/modbus.py", "import pymodbus.client", "pymodbus.client"),
    (only_a_client_sees_its_library, "collectors/nvml_exporter/bad.py", "import pynvml", "imports pynvml"),
    (only_a_client_sees_its_library, "collectors/protocols/snmp_client.py", "import pysnmp", "imports pysnmp"),
    (sizes_stay_within_budget, "app/bad.py", "x = 1\n" * 301, "has 301 lines"),
    (sizes_stay_within_budget, "app/bad.py", LONG, "long has 61 lines"),
]  # fmt: skip

GOOD = [
    ("app/domain/good.py", "from datetime import UTC\nimport math\nimport numpy as np\nfrom app.domain import curve"),
    ("app/figures/good.py", "from app.domain.curve import Curve\nfrom . import theme"),
    ("app/services/good.py", "from collectors.frame import Layout\nfrom collectors import frame\nimport time"),
    ("app/cli/devices.py", "from collectors.runner import collect"),
    ("app/store/good.py", "import sqlalchemy\nfrom sqlmodel import Session"),
    ("collectors/simulator/good.py", "import pysnmp\nfrom pymodbus.server import ModbusTcpServer"),
    ("collectors/protocols/snmp_community.py", "import gufo.snmp"),
    ("app/long.py", "x = 1\n" * 300 + ""),
    ("app/docs.py", LONG.replace("    x = 1\n", "", 1)),
]  # fmt: skip


def write(root: Path, path: str, source: str) -> None:
    (root / path).parent.mkdir(parents=True)
    (root / path).write_text(source, encoding="utf-8")


@pytest.mark.parametrize(("rule", "path", "source", "expected"), BAD)
def test_the_rule_finds_a_bad_source(rule: Rule, path: str, source: str, expected: str, tmp_path: Path):
    write(tmp_path, path, source)
    assert any(expected in found for found in violations(tmp_path, rule))


@pytest.mark.parametrize(("path", "source"), GOOD)
def test_no_rule_minds_a_good_source(path: str, source: str, tmp_path: Path):
    write(tmp_path, path, source)
    assert [found for rule in RULES for found in violations(tmp_path, rule)] == []


def test_every_rule_is_tried_on_a_bad_source():
    assert {rule for rule, *_ in BAD} == set(RULES)
