"""What the images are made of and may do: pinned packages with hashes, nothing writable, no privileges."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.metadata import requires

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.paths import ROOT

CI = ROOT / ".ci"
CONSTRAINTS = CI / "constraints.txt"
HASHED = (CI / "requirements.txt", CI / "requirements-build.txt")
FACILITY_FILE = "./facility.toml:/etc/wattline/facility.toml:ro"
IMAGE = {"python_version": "3.12", "sys_platform": "linux", "platform_python_implementation": "CPython", "extra": ""}


def versions(file):
    """Return the version of each package in a requirements file."""
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in pins}


def needed_by(package, extras, seen):
    """Add the packages that one needs in the image, itself included."""
    if (package, extras) in seen:
        return
    seen.add((package, extras))
    for text in requires(package) or ():
        one = Requirement(text)
        if one.marker is None or any(one.marker.evaluate(IMAGE | {"extra": extra}) for extra in ("", *extras)):
            needed_by(canonicalize_name(one.name), tuple(sorted(one.extras)), seen)


@pytest.mark.parametrize("file", HASHED, ids=lambda file: file.stem)
def test_files_with_hashes_name_the_pinned_versions(file):
    assert versions(file).items() <= versions(CONSTRAINTS).items(), "run `make hashes`"
    entries = re.split(
        r"^(?=\S)", re.sub(r"^ *#.*\n", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE), flags=re.MULTILINE
    )
    assert all(re.search(r"==\S+ \\\n    --hash=sha256:[0-9a-f]{64}\b", entry) for entry in entries if entry)


def test_the_image_has_every_package_that_wattline_needs():
    seen = set()
    needed_by("wattline", (), seen)
    assert {name for name, _ in seen} - {"wattline"} <= set(versions(HASHED[0])), "run `make hashes`"


def test_the_dockerfile_installs_nothing_without_a_hash():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    installs = re.findall(r"pip (?:install|wheel)[^&\n]*", text)
    assert len(installs) == 4
    assert all("--require-hashes" in line or ("--no-index" in line and "--no-deps" in line) for line in installs)
    assert f"FROM python:{IMAGE['python_version']}-slim" in text
    assert re.search(r"^USER wattline$", text.rpartition("FROM ")[2], re.MULTILINE)


def test_containers_have_no_privileges_and_write_to_their_volumes_alone():
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    assert set(services) == {"database", "server", "collector"}
    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["user"] in ("wattline", "postgres"), name
        assert not {"privileged", "cap_add", "network_mode", "pid", "devices"} & set(service), name
        assert [v for v in service["volumes"] if v.startswith((".", "/"))] in ([], [FACILITY_FILE]), name


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_pin_images_writes_the_digests_of_the_registry_once(tmp_path):
    for name in ("Makefile", "Dockerfile", "docker-compose.yml"):
        shutil.copy(ROOT / name, tmp_path)
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text('#!/bin/sh\necho "$*" >>asked\necho "sha256:$(printf %064d "$(wc -l <asked)")"\n')
    docker.chmod(0o755)
    path = {"PATH": f"{docker.parent}:{os.environ['PATH']}"}
    for _ in range(2):  # the second time replaces the digests
        subprocess.run(["make", "pin-images"], cwd=tmp_path, env=os.environ | path, check=True, capture_output=True)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.split()[-1] for line in asked] == ["postgres:17", "python:3.12-slim"] * 2
    bases = re.findall(r"^FROM (\S+)", (tmp_path / "Dockerfile").read_text(), re.MULTILINE)
    assert bases == [f"python:3.12-slim@sha256:{4:064d}"] * 2
    services = yaml.safe_load((tmp_path / "docker-compose.yml").read_text())["services"]
    assert services["database"]["image"] == f"postgres:17@sha256:{3:064d}"
