import json
import pickle

import pytest

from collectors.device.secret import Secret, resolve
from collectors.errors import ConfigError


def test_from_the_environment(monkeypatch):
    monkeypatch.setenv("PDU_COMMUNITY", "s3cret")
    assert resolve("env:PDU_COMMUNITY").reveal() == "s3cret"


def test_from_a_file(tmp_path):
    path = tmp_path / "community"
    path.write_text("s3cret\n")
    assert resolve(f"file:{path}") == Secret("s3cret")


@pytest.mark.parametrize("reference", ["s3cret", "env:", "env:NOT_SET_ANYWHERE", "file:/does/not/exist", ""])
def test_anything_else_is_refused_and_never_repeated(reference):
    with pytest.raises(ConfigError) as caught:
        resolve(reference)
    assert "s3cret" not in str(caught.value)


def test_a_secret_does_not_leak():
    secret = Secret("s3cret")
    for shown in (str(secret), repr(secret), f"{secret}", repr({"a": secret})):
        assert "s3cret" not in shown
        assert "***" in shown
    with pytest.raises(TypeError):
        json.dumps(secret)
    with pytest.raises(TypeError):
        pickle.dumps(secret)
