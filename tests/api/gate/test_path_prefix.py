"""Everything works below a path, as a proxy passes it on, and without it."""

import re

import pytest

from app.errors import Invalid

PREFIX = "/wattline"
PAGES = ["/", "/jobs", "/compare", "/capacity", "/devices", "/checks", "/alerts", "/docs", "/racks/nope"]


@pytest.fixture
def client(make_client):
    return make_client(path_prefix=PREFIX)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("asked", [PREFIX, ""])
def test_links_of_a_page_are_below_it(client, page, asked):
    text = client.get(asked + page).text
    links = re.findall(r'(?:src|href|action)="([^"]+)"', text)
    assert [link for link in links if not link.startswith(f"{PREFIX}/")] == []
    assert {client.get(link).status_code for link in links} <= {200}


def test_the_prefix_alone_is_the_first_page(client):
    assert "<title>Facility" in client.get(PREFIX).text


def test_a_longer_name_is_not_the_prefix(client):
    assert client.get("/wattlines/jobs").status_code == 404


def test_a_redirect_stays_below_it(client):
    answer = client.get(f"{PREFIX}/jobs/", follow_redirects=False)
    assert (answer.status_code, answer.headers["Location"]) == (307, "http://127.0.0.1/wattline/jobs")


def test_access_is_decided_below_it_as_well(make_client):
    client = make_client(path_prefix=PREFIX, read_token="r")
    assert client.get(f"{PREFIX}/api/v1/jobs").status_code == 401
    assert client.get(f"{PREFIX}/api/v1/jobs", headers={"Authorization": "Bearer r"}).status_code == 200
    assert client.get(f"{PREFIX}/healthz").status_code == 200


def test_answers_name_addresses_below_it(client):
    made = client.post(f"{PREFIX}/api/v1/sites", json={"key": "bnl"})
    assert made.headers["Location"] == "/wattline/api/v1/sites/bnl"
    assert client.get("/api/v1/openapi.json").json()["servers"] == [{"url": PREFIX}]


def test_it_is_no_path_of_ours(make_client):
    with pytest.raises(Invalid, match="/jobs is a path of Wattline itself"):
        make_client(path_prefix="/jobs")


@pytest.mark.parametrize("prefix", ["wattline", "//evil.example", "/a b", "/x/../y?", "/"])
def test_it_is_a_path(make_client, prefix):
    if prefix == "/":
        assert make_client(path_prefix=prefix).get("/healthz").status_code == 200
    else:
        with pytest.raises(ValueError, match="path such as /wattline"):
            make_client(path_prefix=prefix)
