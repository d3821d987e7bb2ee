"""The rules of the architecture, read from the source: floors, rooms, doors, sizes and libraries.

A rule takes all modules and names its violations. A rule that finds nothing in a bad source written for it guards
nothing, so every rule is tried on one.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from tests.paths import ROOT

MODULE_LINES = 300
FUNCTION_LINES = 60
FOLDER_MODULES = 15

FLOORS = (
    {"app.domain"},
    {"app.models"},
    {"app.store"},
    {"app.services", "app.importers", "app.client"},
    {"app.presentation"},
    {"app.api"},
    {"app.server"},
    {"app.cli"},
)
"""From the bottom. A floor imports only lower ones and its neighbours on the same line."""
OUTSIDE_THE_ROOMS = {"app", "collectors", "app.services", "app.cli", "collectors.protocols"}
"""Packages without a door: their modules are imported by name."""

IMPURE = {
    "asyncio", "http", "io", "locale", "logging", "multiprocessing", "numpy.random", "os", "pathlib", "random",
    "secrets", "select", "selectors", "shutil", "signal", "socket", "socketserver", "sqlite3", "ssl", "subprocess",
    "tempfile", "threading", "time", "urllib.request",
}  # fmt: skip
CLOCKS = (".now", ".today", ".utcnow", "wall_clock_ms")
PURE = {
    "app.domain": {"numpy", "app.domain", "collectors.contract"},
    "app.presentation": {
        "numpy", "orjson", "pydantic", "typing_extensions", "app.domain", "app.models", "app.store", "app.services",
        "app.importers", "app.presentation", "app.errors", "collectors.contract",
    },
}  # fmt: skip
STORES = {"FrameStore", "FacilityStore", "JobStore", "HealthStore", "MinuteStore", "AlertStore", "Stores", "Context"}
COMMAND_LINE = {"app.cli"}
SQL = {"app.store", "app.models", "migrations"}
CONTRACT = {"collectors.contract"}
LIBRARIES = {
    "pymodbus": {
        "collectors.protocols.modbus.client",
        "collectors.protocols.modbus.endpoint",
        "collectors.simulator",
    },
    "pynvml": {"collectors.nvml_exporter.sensors.nvml"},
    "pysnmp": {"collectors.protocols.snmp.notifications", "collectors.protocols.snmp.usm", "collectors.simulator"},
}
STORING_LOADS_NOT = (
    "app.presentation", "app.services.jobs", "app.services.capacity", "app.services.headroom", "app.services.alerts",
    "app.services.reports",
)  # fmt: skip


@dataclass(frozen=True)
class Module:
    name: str
    is_package: bool
    source: str
    stub: str = ""
    """What a lazy door exports (`__init__.pyi`)."""

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source, self.name)

    @property
    def room(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @cached_property
    def imported(self) -> list[tuple[str, str]]:
        """(module, name) of every import, wherever in it; the name is "" where a module is imported whole."""
        found: list[tuple[str, str]] = []
        for node in [*ast.walk(self.tree), *ast.walk(ast.parse(self.stub))]:
            if isinstance(node, ast.Import):
                found += [(alias.name, "") for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found += [(self._base(node), alias.name) for alias in node.names]
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
                found += [(str(arg.value), "") for arg in node.args[:1] if isinstance(arg, ast.Constant)]
        return found

    def imports(self) -> Iterator[str]:
        """Every module this one imports; `from a import b` counts as a and as a.b."""
        for module, name in self.imported:
            yield module
            if name:
                yield f"{module}.{name}"

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
        stub = path.with_suffix(".pyi")
        found.append(
            Module(name, is_package, path.read_text("utf-8"), stub.read_text("utf-8") if stub.exists() else "")
        )
    return found


def within(name: str, packages: Sequence[str] | set[str]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


Violations = Iterator[str]
Rule = Callable[[list[Module]], Violations]


def each(rule: Callable[[Module], Violations]) -> Rule:
    """Make a rule about one module a rule about all of them."""

    def every(found: list[Module]) -> Violations:
        for module in found:
            yield from (f"{module.name} {what}" for what in rule(module))

    every.__name__ = rule.__name__
    return every


def _floor(name: str) -> int | None:
    return next((i for i, floor in enumerate(FLOORS) if within(name, floor)), None)


@each
def arrows_point_down(module: Module) -> Violations:
    mine = _floor(module.name)
    for name in module.imports() if mine is not None else ():
        other = _floor(name)
        if other is not None and other > mine:
            yield f"imports {name} from a floor above"


@each
def only_wiring_sees_every_store(module: Module) -> Violations:
    """A use case names the stores it needs; the bundle of all of them is for the API and the server."""
    if within(module.name, {"app.services"}) and module.name != "app.services.stores":
        yield from (f"imports {name}" for name in module.imports() if within(name, {"app.services.stores"}))


@each
def the_middle_imports_only_what_is_pure(module: Module) -> Violations:
    own = [rooms for package, rooms in PURE.items() if within(module.name, {package})]
    if own:
        allowed = (own[0] | set(sys.stdlib_module_names)) - IMPURE
        for name in module.imports():
            if name not in ("app", "collectors") and (within(name, IMPURE) or not within(name, allowed)):
                yield f"imports {name}"


@each
def the_middle_only_computes(module: Module) -> Violations:
    if within(module.name, set(PURE)):
        for node in ast.walk(module.tree):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if called.endswith(CLOCKS):
                yield f"asks the clock: {called}"
            elif called in {"open", "print", "input"} or ".random." in called:
                yield f"does more than compute: {called}"


@each
def presentation_reads_no_store(module: Module) -> Violations:
    if within(module.name, {"app.presentation"}):
        yield from (f"imports {base}.{name}" for base, name in module.imported if name in STORES)


@each
def collectors_never_import_the_server(module: Module) -> Violations:
    if within(module.name, {"collectors"}):
        yield from (f"imports {name}" for name in module.imports() if within(name, {"app"}))


@each
def the_product_knows_no_test(module: Module) -> Violations:
    yield from (f"imports {name}" for name in module.imports() if within(name, {"tests"}))


@each
def the_server_knows_only_the_contract(module: Module) -> Violations:
    if within(module.name, {"app"}) and not within(module.name, COMMAND_LINE):
        for name in module.imports():
            if within(name, {"collectors"}) and not within(name, CONTRACT) and name != "collectors":
                yield f"imports {name}"


@each
def the_contract_depends_on_nothing(module: Module) -> Violations:
    if within(module.name, CONTRACT):
        for name in module.imports():
            if name.partition(".")[0] not in sys.stdlib_module_names and not within(
                name, CONTRACT | {"collectors.errors"}
            ):
                yield f"imports {name}"


@each
def sql_lives_in_the_store(module: Module) -> Violations:
    if not within(module.name, SQL):
        yield from (f"imports {name}" for name in module.imports() if within(name, {"sqlalchemy", "sqlmodel"}))


@each
def only_a_client_sees_its_library(module: Module) -> Violations:
    for name in module.imports():
        owners = LIBRARIES.get(name.partition(".")[0])
        if owners is not None and not within(module.name, owners):
            yield f"imports {name}"


@each
def sizes_stay_within_budget(module: Module) -> Violations:
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


def folders_stay_small(found: list[Module]) -> Violations:
    count = Counter(module.room for module in found if not module.is_package)
    for room, n in count.items():
        if n > FOLDER_MODULES and not within(room, {"migrations"}):
            yield f"{room} has {n} modules, not {FOLDER_MODULES} at most"


def rooms_are_entered_by_their_door(found: list[Module]) -> Violations:
    doors = {m.name: _exports(m) for m in found if m.is_package}
    for module in found:
        for base, name in module.imported:
            if not within(base, {"app", "collectors"}) or _at_home(module, base):
                continue
            if base in doors:
                if base not in OUTSIDE_THE_ROOMS and name not in doors[base]:
                    yield f"{module.name} imports {name}, which the door of {base} does not export"
            elif base.rpartition(".")[0] not in OUTSIDE_THE_ROOMS:
                yield f"{module.name} imports {base} past its door"


def _at_home(module: Module, base: str) -> bool:
    return module.room in (base, base.rpartition(".")[0])


def _exports(door: Module) -> set[str]:
    if door.stub:
        imports = [node for node in ast.parse(door.stub).body if isinstance(node, ast.ImportFrom)]
        return {alias.asname or alias.name for node in imports for alias in node.names}
    for node in door.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return {str(ast.literal_eval(item)) for item in getattr(node.value, "elts", ())}
    return set()


def rooms_have_no_cycles(found: list[Module]) -> Violations:
    rooms = {m.name for m in found if m.is_package} - OUTSIDE_THE_ROOMS
    needs: dict[str, set[str]] = defaultdict(set)
    for module in found:
        for base, _ in module.imported:
            room = base if base in rooms else base.rpartition(".")[0]
            if module.room in rooms and room in rooms and room != module.room:
                needs[module.room].add(room)
    for start in sorted(rooms):
        seen, waiting = set(), [start]
        while waiting:
            for room in needs[waiting.pop()] - seen:
                seen.add(room)
                waiting.append(room)
        if start in seen:
            yield f"{start} needs itself, by way of {', '.join(sorted(r for r in needs[start] if r in seen))}"


def public_class_names_are_unique(found: list[Module]) -> Violations:
    where: dict[str, list[str]] = defaultdict(list)
    for module in found:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].append(module.name)
    yield from (f"{name} is declared in {' and '.join(at)}" for name, at in sorted(where.items()) if len(at) > 1)


RULES: tuple[Rule, ...] = (
    arrows_point_down,
    only_wiring_sees_every_store,
    the_middle_imports_only_what_is_pure,
    the_middle_only_computes,
    presentation_reads_no_store,
    collectors_never_import_the_server,
    the_product_knows_no_test,
    the_server_knows_only_the_contract,
    the_contract_depends_on_nothing,
    sql_lives_in_the_store,
    only_a_client_sees_its_library,
    sizes_stay_within_budget,
    folders_stay_small,
    rooms_are_entered_by_their_door,
    rooms_have_no_cycles,
    public_class_names_are_unique,
)


@pytest.fixture(scope="module")
def source() -> list[Module]:
    return modules(ROOT)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_source_keeps_the_rule(rule: Rule, source: list[Module]):
    assert sorted(set(rule(source))) == []


def test_there_is_something_to_read(source: list[Module]):
    assert {"app", "app.domain.timeseries.curve", "collectors.contract.frame"} <= {module.name for module in source}


@pytest.mark.parametrize("top", ["frontend/js", "tests"])
def test_folders_of_scripts_and_tests_stay_small(top: str):
    found = (p for p in (ROOT / top).rglob("*.*") if "node_modules" not in p.parts)
    count = Counter(p.parent for p in found if p.suffix in (".py", ".js") and p.stem != "__init__")
    assert {str(folder): n for folder, n in count.items() if n > FOLDER_MODULES} == {}


def test_storing_a_frame_loads_no_module_that_describes_it():
    script = "import sys, app.services.timeseries.ingest; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert [name for name in loaded.stdout.split() if within(name, STORING_LOADS_NOT)] == []


LONG = "def long():\n    '''One.\n\n    Two.\n    '''\n" + "    x = 1\n" * 60
DOOR = "'''A room.'''\nfrom app.store.rooms.inner import known\n__all__ = ['known']\n"

BAD = [
    (arrows_point_down, {"app/services/bad.py": "from app.presentation.text import num"}, "imports app.presentation"),
    (arrows_point_down, {"app/store/bad.py": "from app.services.energy import curves"}, "imports app.services"),
    (arrows_point_down, {"app/api/bad.py": "def f():\n    import app.server.launch"}, "imports app.server.launch"),
    (only_wiring_sees_every_store, {"app/services/jobs/bad.py": "from app.services.stores import Stores"}, "stores"),
    (the_middle_imports_only_what_is_pure, {"app/domain/bad.py": "import time"}, "imports time"),
    (the_middle_imports_only_what_is_pure, {"app/domain/bad.py": "def f():\n    from os import path"}, "imports os"),
    (the_middle_imports_only_what_is_pure, {"app/domain/bad.py": "import pandas as pd"}, "imports pandas"),
    (the_middle_imports_only_what_is_pure, {"app/domain/bad.py": "from numpy import random"}, "imports numpy.random"),
    (the_middle_imports_only_what_is_pure, {"app/domain/bad.py": "from app.store import frames"}, "imports app.store"),
    (the_middle_imports_only_what_is_pure, {"app/domain/bad.py": "from app.models import Node"}, "imports app.models"),
    (the_middle_imports_only_what_is_pure, {"app/domain/bad.py": "from ..store import frames"}, "imports app.store"),
    (the_middle_imports_only_what_is_pure, {"app/presentation/bad.py": "import plotly"}, "imports plotly"),
    (the_middle_only_computes, {"app/domain/bad.py": "import datetime\nx = datetime.datetime.now()"}, "asks the clock"),
    (the_middle_only_computes, {"app/presentation/bad.py": "open('x')"}, "does more than compute: open"),
    (the_middle_only_computes, {"app/domain/bad.py": "import numpy as np\nnp.random.default_rng()"}, "np.random"),
    (presentation_reads_no_store, {"app/presentation/bad.py": "from app.store.jobs import JobStore"}, "JobStore"),
    (collectors_never_import_the_server, {"collectors/bad.py": "from app.domain.curve import Curve"}, "imports app"),
    (
        collectors_never_import_the_server,
        {"collectors/bad.py": "import importlib\nimportlib.import_module('app.main')"},
        "imports app.main",
    ),
    (the_product_knows_no_test, {"app/cli/bad.py": "from tests.papers import page"}, "imports tests.papers"),
    (the_server_knows_only_the_contract, {"app/services/bad.py": "from collectors import polling"}, "polling"),
    (the_server_knows_only_the_contract, {"app/services/bad.py": "import collectors.delivery"}, "collectors.delivery"),
    (the_contract_depends_on_nothing, {"collectors/contract/bad.py": "import numpy"}, "imports numpy"),
    (sql_lives_in_the_store, {"app/api/jobs/bad.py": "from sqlmodel import Session"}, "imports sqlmodel"),
    (sql_lives_in_the_store, {"app/services/bad.py": "from sqlalchemy.engine import Engine"}, "imports sqlalchemy"),
    (only_a_client_sees_its_library, {"collectors/bad.py": "from pysnmp.entity import config"}, "pysnmp.entity"),
    (
        only_a_client_sees_its_library,
        {"collectors/protocols/modbus/driver.py": "import pymodbus.client"},
        "pymodbus.client",
    ),
    (only_a_client_sees_its_library, {"collectors/nvml_exporter/bad.py": "import pynvml"}, "imports pynvml"),
    (only_a_client_sees_its_library, {"collectors/protocols/snmp/client.py": "import pysnmp"}, "imports pysnmp"),
    (sizes_stay_within_budget, {"app/bad.py": "x = 1\n" * 301}, "has 301 lines"),
    (sizes_stay_within_budget, {"app/bad.py": LONG}, "long has 61 lines"),
    (folders_stay_small, {f"app/store/m{i}.py": "" for i in range(16)}, "app.store has 16 modules"),
    (
        rooms_are_entered_by_their_door,
        {"app/store/rooms/__init__.py": DOOR, "app/api/bad.py": "from app.store.rooms.inner import known"},
        "past its door",
    ),
    (
        rooms_are_entered_by_their_door,
        {"app/store/rooms/__init__.py": DOOR, "app/api/bad.py": "from app.store.rooms import hidden"},
        "imports hidden, which the door",
    ),
    (
        rooms_have_no_cycles,
        {
            "app/store/a/__init__.py": "from app.store.a.x import x",
            "app/store/a/x.py": "from app.store.b import y",
            "app/store/b/__init__.py": "from app.store.b.y import y",
            "app/store/b/y.py": "def f():\n    from app.store.a import x",
        },
        "app.store.a needs itself, by way of app.store.b",
    ),
    (
        public_class_names_are_unique,
        {"app/models/a.py": "class Node: ...", "collectors/b.py": "class Node: ..."},
        "Node is declared in app.models.a and collectors.b",
    ),
]

GOOD = {
    "app/domain/good.py": "from datetime import UTC\nimport math\nimport numpy as np\nfrom app.domain import curve",
    "app/presentation/good.py": "from app.domain.timeseries import Curve\nfrom app.services.jobs import Summary",
    "app/domain/timeseries/__init__.py": "from app.domain.timeseries.curve import Curve\n__all__ = ['Curve']",
    "app/services/jobs/__init__.py": "from app.services.jobs.summary import Summary\n__all__ = ['Summary']",
    "app/services/good.py": "from collectors.contract import Layout\nimport time",
    "collectors/contract/__init__.py": "from collectors.contract.frame import Layout\n__all__ = ['Layout']",
    "app/cli/devices.py": "from collectors.errors import CollectorError",
    "app/store/good.py": "import sqlalchemy\nfrom sqlmodel import Session",
    "collectors/simulator/good.py": "import pysnmp\nfrom pymodbus.server import ModbusTcpServer",
    "collectors/protocols/snmp/notifications.py": "import pysnmp.entity",
    "app/long.py": "x = 1\n" * 300,
    "app/docs.py": LONG.replace("    x = 1\n", "", 1),
}


def write(root: Path, path: str, source: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(source, encoding="utf-8")


@pytest.mark.parametrize(("rule", "sources", "expected"), BAD)
def test_the_rule_finds_a_bad_source(rule: Rule, sources: dict[str, str], expected: str, tmp_path: Path):
    for path, text in sources.items():
        write(tmp_path, path, text)
    assert any(expected in found for found in rule(modules(tmp_path)))


def test_no_rule_minds_a_good_source(tmp_path: Path):
    for path, text in GOOD.items():
        write(tmp_path, path, text)
    found = modules(tmp_path)
    assert [violation for rule in RULES for violation in rule(found)] == []


def test_every_rule_is_tried_on_a_bad_source():
    assert {rule for rule, *_ in BAD} == set(RULES)
