"""Users of every role, on a server that other machines reach: nobody has access without credentials."""

from collections.abc import Callable
from functools import cache

import pytest
from argon2 import PasswordHasher
from fastapi.testclient import TestClient

from app.services.access import passwords
from app.services.stores import Stores
from app.store.access import User

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch):
    """Argon2id with little memory: its strength is not what these tests are about."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", lambda: cheap)
    monkeypatch.setattr(passwords, "_of_nobody", cache(lambda: cheap.hash("nobody")))


@pytest.fixture
def closed(make_client) -> TestClient:
    """A client of a server with accounts and without local mode."""
    return make_client(host="0.0.0.0")


@pytest.fixture
def people(closed) -> Callable[..., User]:
    """Create users with the common password."""
    stores: Stores = closed.app.state.stores

    def create(name: str, *roles: str, **fields) -> User:
        user = User(name, roles, password=passwords.hash_password(PASSWORD), **fields)
        assert stores.users.create(user)
        return user

    return create


@pytest.fixture
def sign_in(closed) -> Callable[[str], TestClient]:
    """Sign a user in; the client keeps the cookie."""

    def enter(name: str) -> TestClient:
        closed.cookies.clear()
        answer = closed.post("/api/v1/session", json={"user": name, "password": PASSWORD})
        assert answer.status_code == 201, answer.text
        return closed

    return enter
