"""Databases for tests: always our own, temporary, and gone afterwards.

SQLite lies in `tmp_path`; on PostgreSQL each session creates a database `wattline_test_…` beside the one that
WATTLINE_TEST_POSTGRES_URL names and drops it at the end.
"""

import os
import secrets
import shutil
import zlib

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import make_url
from xdist.scheduler import LoadFileScheduling

from app.models import METADATA
from app.store.database.engine import migrate, open_engine
from app.store.facility.facility import FacilityStore
from app.store.jobs.jobs import JobStore
from app.store.timeseries.frames import FrameStore
from tests.paths import ROOT
from tests.shared_routes import share

share()

# Properties are judged by their truth, not by how fast a busy machine finds it; CI tries the same examples every time.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("untimed", _UNTIMED)
settings.register_profile("ci", _UNTIMED, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "untimed")

DEFAULT_POSTGRES_URL = "postgresql://root@127.0.0.1:5432/test"
TEMPORARY = "wattline_test_"


ROOMS_FIRST = ("slurm", "e2e", "conformance", "papers", "docs", "simulator")
"""Folders whose tests take longest: they begin first, so that no worker is left alone with them at the end."""
SLOW = {
    "api/access/test_audit.py", "api/access/test_audit_of_changes.py", "api/access/test_device_login.py",
    "api/access/test_my_energy.py", "api/access/test_single_sign_on.py", "api/accounts", "api/capacity",
    "api/devices/test_clock_set_back.py", "api/devices/test_devices.py", "api/devices/test_fleet.py",
    "api/facility/test_alerts.py", "api/facility/test_facility_minutes.py", "api/facility/test_partial.py",
    "api/facility/test_place_curves.py", "api/facility/test_statement_counts.py", "api/facility/test_views.py",
    "api/gate/test_path_prefix.py", "api/jobs/test_curve.py", "api/jobs/test_job_energy.py",
    "api/jobs/test_job_figures.py", "api/jobs/test_job_times.py", "api/jobs/test_job_views.py",
    "api/jobs/test_registers_only.py", "api/jobs/test_shared_jobs.py", "api/jobs/test_slow_download.py",
    "api/jobs/test_statements.py", "api/service/test_document.py", "api/service/test_every_route.py",
    "api/service/test_pages.py", "api/service/test_statement_counts.py", "api/studies", "cli/test_command_line.py",
    "cli/test_run_command.py", "collectors/polling/test_runner.py", "collectors/profiles/test_profiles_power.py",
    "collectors/snmp/test_snmp.py", "collectors/snmp/test_snmp_faults.py", "collectors/snmp/test_snmp_generic.py",
    "collectors/snmp/test_snmp_ratings.py", "collectors/snmp/test_snmp_v3.py", "collectors/snmp/test_traps.py",
    "collectors/tools", "docs", "facility/test_catalog.py", "facility/test_supplies.py",
    "nvml_exporter/test_delivery.py", "papers", "power_cap", "services/alerts/test_evaluation.py",
    "services/alerts/test_supply_findings.py", "services/alerts/test_webhook.py", "services/imports",
    "services/live/test_power_now.py", "services/maintenance", "services/rollups", "simulator/test_demo.py",
    "simulator/test_history.py", "simulator/test_papers.py", "simulator/test_plant.py", "simulator/test_rtx_bench.py",
    "store/access/test_pseudonyms.py", "store/rollups/test_observed.py", "store/timeseries/test_compaction.py",
    "store/timeseries/test_concurrency.py", "store/timeseries/test_crash.py", "store/timeseries/test_frames_model.py",
    "sweep", "test_architecture.py", "test_semantics_docs.py", "test_words.py", "torture",
}  # fmt: skip
"""What takes seconds a test; `make test-fast` leaves it out, as it leaves out browser, captures, Slurm, PostgreSQL."""


SHARED_FIXTURES = ("tests/conformance/mlperf/", "tests/conformance/snmp/")
"""Folders whose files share what takes long to read: one worker runs them all."""


class FileScheduling(LoadFileScheduling):
    """Give a worker a file at a time, or a folder of `SHARED_FIXTURES`."""

    def _split_scope(self, nodeid):
        return next((folder for folder in SHARED_FIXTURES if nodeid.startswith(folder)), super()._split_scope(nodeid))


def pytest_xdist_make_scheduler(config, log):
    return FileScheduling(config, log) if config.getoption("dist") == "loadfile" else None


def one_engine(items):
    """Leave one engine to each test of the API that has both, by turns; the stores' own tests run on both.

    WATTLINE_TEST_ENGINES=both runs every test on both.
    """
    names = {item.nodeid for item in items}
    kept = []
    for item in items:
        key = item.nodeid.replace("[postgresql", "[sqlite").replace("-postgresql", "-sqlite")
        other = key.replace("[sqlite", "[postgresql").replace("-sqlite", "-postgresql")
        has_both = item.nodeid.startswith("tests/api/") and other != key and {key, other} <= names
        if not has_both or item.nodeid == (other if zlib.crc32(key.encode()) % 2 else key):
            kept.append(item)
    return kept


def pytest_collection_modifyitems(config, items):
    """Mark tests by their folder, and begin with the folders that take longest."""
    for item in items:
        path = item.path.relative_to(ROOT / "tests").as_posix()
        room = path.partition("/")[0]
        if room in ("e2e", "slurm", "conformance"):
            item.add_marker(room)
        if any(path == slow or path.startswith(f"{slow}/") for slow in SLOW):
            item.add_marker("slow")
        if "postgres" in item.name or {"postgres_url", "postgres_engine"} & set(item.fixturenames):
            item.add_marker("postgresql")
    if os.environ.get("WATTLINE_TEST_ENGINES") != "both" and len({item.path for item in items}) > 1:
        kept = one_engine(items)
        left = set(items) - set(kept)
        config.hook.pytest_deselected(items=[item for item in items if item in left])
        items[:] = kept
    order = {room: i for i, room in enumerate(ROOMS_FIRST)}
    items.sort(key=lambda item: order.get(item.path.relative_to(ROOT / "tests").parts[0], len(order)))


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory):
    """A migrated, empty database file; tests work on copies."""
    path = tmp_path_factory.mktemp("sqlite") / "empty.db"
    engine = open_engine(f"sqlite:///{path}")
    migrate(engine)
    engine.dispose()
    return path


@pytest.fixture(scope="session")
def postgres_url():
    """The URL of this session's own PostgreSQL database, migrated."""
    server = os.environ.get("WATTLINE_TEST_POSTGRES_URL", DEFAULT_POSTGRES_URL)
    name = f"{TEMPORARY}{secrets.token_hex(6)}"
    try:
        with psycopg.connect(server, autocommit=True, connect_timeout=5) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
            connection.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = off')  # it outlives no test
    except psycopg.OperationalError as error:
        reason = f"no PostgreSQL at WATTLINE_TEST_POSTGRES_URL: {error}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    url = make_url(server).set(database=name).render_as_string(hide_password=False)
    try:
        engine = open_engine(url)
        migrate(engine)
        engine.dispose()
        yield url
    finally:
        with psycopg.connect(server, autocommit=True, connect_timeout=5) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def sqlite_engine(migrated_sqlite, tmp_path):
    path = tmp_path / "wattline.db"
    shutil.copyfile(migrated_sqlite, path)
    engine = open_engine(f"sqlite:///{path}")
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def empty_database():
    """Remove every row; only ever in a temporary database."""

    def empty(engine):
        if not (engine.url.database or "").startswith(TEMPORARY):
            pytest.fail(f"{engine.url.database} is not a temporary test database")
        # a TRUNCATE of all tables takes ten times as long as deleting the few rows of a test
        tables = [f'DELETE FROM "{table.name}"' for table in reversed(METADATA.sorted_tables)]
        with engine.begin() as connection:
            connection.exec_driver_sql("; ".join(tables))

    return empty


@pytest.fixture
def postgres_engine(postgres_url, empty_database):
    engine = open_engine(postgres_url)
    empty_database(engine)
    yield engine
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request):
    """An empty database, once on each engine."""
    return request.getfixturevalue("sqlite_engine" if request.param == "sqlite" else "postgres_engine")


@pytest.fixture
def frames(engine):
    return FrameStore(engine)


@pytest.fixture
def facility(engine):
    return FacilityStore(engine)


@pytest.fixture
def jobs(engine):
    return JobStore(engine)
