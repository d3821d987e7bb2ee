"""Folders and documents that somebody else made: symbolic links, archives and nesting lead nowhere."""

import io
import json
import tarfile

import pytest

from app.errors import Invalid, NotFound
from app.importers.mlperf import files_of, find_runs, folder
from app.importers.netbox import read_sources
from app.services.facility import parse


def run_in(path):
    path.mkdir()
    (path / "spl.txt").write_text("x")
    (path / "mlperf_log_detail.txt").write_text("x")


def test_a_link_to_a_folder_is_not_followed(tmp_path):
    run_in(tmp_path / "elsewhere")
    given = tmp_path / "given"
    given.mkdir()
    (given / "loop").symlink_to(given)
    (given / "out").symlink_to(tmp_path / "elsewhere")
    assert find_runs(given) == []


@pytest.mark.parametrize("name", ["spl.txt", "mlperf_log_detail.txt"])
def test_a_link_to_a_file_outside_is_not_read(tmp_path, name):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    run_in(tmp_path / "run")
    (tmp_path / "run" / name).unlink()
    (tmp_path / "run" / name).symlink_to(secret)
    assert find_runs(tmp_path / "run") == []


def test_a_link_within_the_folder_is(tmp_path):
    run_in(tmp_path / "run")
    (tmp_path / "run" / "spl.txt").rename(tmp_path / "run" / "meter.txt")
    (tmp_path / "run" / "spl.txt").symlink_to("meter.txt")
    assert len(find_runs(tmp_path / "run")) == 1


def training_in(path):
    path.mkdir()
    (path / "result_0.txt").write_text("x")


def test_power_logs_outside_are_not_read(tmp_path):
    (tmp_path / "secret").write_text("secret")
    training_in(tmp_path / "bench")
    power = tmp_path / "bench" / "power" / "result_0"
    power.mkdir(parents=True)
    (power / "node_0.txt").symlink_to(tmp_path / "secret")
    (power / "sw_0.txt").write_text("own")
    (run,) = find_runs(tmp_path / "bench")
    assert [path.name for path in files_of(run)] == ["result_0.txt", "sw_0.txt"]
    assert [text.text for text in folder.power_texts(run)] == ["own"]


def test_an_archive_that_grows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "_MOST_BYTES", 10_000)
    training_in(tmp_path / "bench")
    with tarfile.open(tmp_path / "bench" / "power_result_0.tar.gz", "w:gz") as archive:
        for number in range(3):
            member = tarfile.TarInfo(f"../../node_{number}.txt")
            member.size = 5_000
            archive.addfile(member, io.BytesIO(b"0" * 5_000))
    (run,) = find_runs(tmp_path / "bench")
    with pytest.raises(Invalid, match="holds more than"):
        folder.power_texts(run)


@pytest.mark.parametrize("text", ["[" * 100_000, json.dumps({"results": 1}), "null", "\ud800"])
def test_a_document_of_netbox_that_is_none_is_an_error(tmp_path, text):
    path = tmp_path / "racks.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises((Invalid, NotFound)):
        read_sources([str(path)], None)


@pytest.mark.parametrize("text", ["a = " + "[" * 5_000, "a = " + "{a=" * 5_000, "[" + "a." * 5_000 + "b]", "a" * 10**6])
def test_a_facility_file_that_is_nested_too_deep_has_errors(text):
    assert parse(text, "facility.toml").mistakes
