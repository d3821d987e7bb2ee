"""Single sign-on against a real OpenID Connect provider, and everything that it must not accept."""

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from cryptography.hazmat.primitives import hashes, hmac

from app.services.access import roles_of_groups
from app.services.single_sign_on import new_attempt, read_attempt
from app.store.access import User
from tests.api.access.identity_provider import CLIENT, SECRET, Key, encoded, encoded_json, serving_provider
from tests.api.conftest import Clock

ROLES = {"hpc-users": ("researcher",), "dc-ops": ("operator", "viewer"), "root": ("admin",)}


@pytest.fixture(scope="module")
def running():
    clock = Clock()
    with serving_provider(lambda: clock.now // 1000) as provider:
        provider.clock = clock
        yield provider


@pytest.fixture
def clock(running):
    running.clock.now = Clock.now
    return running.clock


@pytest.fixture
def engine(sqlite_engine):
    """One engine: users and sessions are tested with both in test_sign_in.py."""
    return sqlite_engine


@pytest.fixture
def provider(running):
    running.reset()
    return running


@pytest.fixture
def site(make_client, provider):
    return make_client(
        host="0.0.0.0", oidc_issuer=provider.url, oidc_client_id=CLIENT, oidc_client_secret=SECRET, oidc_label="HPC",
        group_roles=ROLES,
    )  # fmt: skip


def leave(site, page="/jobs"):
    """Follow the button of the sign-in page to the provider, and return the way back."""
    away = site.get("/sign-in/oidc", params={"next": page}, follow_redirects=False)
    assert away.status_code == 303
    return urlsplit(httpx.get(away.headers["location"]).headers["location"])


def come_back(site, back):
    return site.get(f"{back.path}?{back.query}", follow_redirects=False)


def signed_in(site, page="/jobs"):
    return come_back(site, leave(site, page)).headers["location"]


def test_a_user_signs_in_and_out(site, provider):
    ways = site.get("/api/v1/sign-in").json()
    assert (ways["single_sign_on"], ways["local"], ways["first_start"]) == ("HPC", False, True)
    assert signed_in(site, "/jobs?user=ada") == "http://127.0.0.1/jobs?user=ada"
    me = site.get("/api/v1/me").json()
    assert (me["name"], me["label"], me["roles"], me["can_change_password"]) == (
        "ada", "Ada Lovelace", ["researcher"], False,
    )  # fmt: skip
    assert set(site.cookies) == {"wattline_session"}, "the attempt is over"
    stores = site.app.state.stores
    assert stores.users.get("ada").subject == "u-1"
    out = site.delete("/api/v1/session").json()["provider"]
    assert out.startswith(f"{provider.url}/logout?")
    assert parse_qs(urlsplit(out).query) == {
        "client_id": [CLIENT],
        "post_logout_redirect_uri": ["http://127.0.0.1/sign-in"],
    }
    assert site.get("/api/v1/me").status_code == 401


def test_the_way_to_the_provider_is_that_of_the_standards(site, provider):
    away = site.get("/sign-in/oidc", follow_redirects=False)
    address = urlsplit(away.headers["location"])
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{provider.url}/auth"
    assert (query["response_type"], query["client_id"], query["code_challenge_method"]) == ("code", CLIENT, "S256")
    assert query["scope"] == "openid profile"
    assert query["redirect_uri"] == "http://127.0.0.1/sign-in/oidc/callback"
    cookie = away.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    attempt = read_attempt(site.cookies["wattline_session_sign_on"])
    assert (attempt.state, attempt.nonce) == (query["state"], query["nonce"])
    assert len(attempt.verifier) >= 43, "RFC 7636, 4.1"
    assert attempt.verifier not in away.headers["location"]


def unsigned(claims):
    return f"{encoded_json({'alg': 'none', 'typ': 'JWT'})}.{encoded_json(claims)}."


def signed_with_the_public_key(claims):
    """HS256 with the published key as secret: a library that mixes the two up accepts it."""
    text = f"{encoded_json({'alg': 'HS256', 'kid': 'first'})}.{encoded_json(claims)}"
    mac = hmac.HMAC(b"first", hashes.SHA256())
    mac.update(text.encode())
    return f"{text}.{encoded(mac.finalize())}"


def altered(provider):
    def sign(claims):
        head, _, signature = provider.key.signed(claims).split(".")
        return f"{head}.{encoded_json(claims | {'preferred_username': 'root'})}.{signature}"

    return sign


WRONG = {
    "wrong nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "wrong audience": {"aud": "another-client"},
    "audience of several without azp": {"aud": [CLIENT, "other"]},
    "issued to another client": {"aud": [CLIENT, "other"], "azp": "other"},
    "wrong issuer": {"iss": "https://elsewhere.example.org"},
    "expired": {"exp": Clock.now // 1000 - 61},
    "not valid yet": {"nbf": Clock.now // 1000 + 61},
    "issued in the future": {"iat": Clock.now // 1000 + 61},
    "without an end": {"exp": None},
    "without a subject": {"sub": None},
    "an access token of another": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
}


@pytest.mark.parametrize("claims", WRONG.values(), ids=WRONG)
def test_an_id_token_with_wrong_claims_is_refused(site, provider, claims):
    provider.claims = claims
    assert signed_in(site) == "http://127.0.0.1/sign-in?fault=sign_on_failed"
    assert site.get("/api/v1/me").status_code == 401
    assert site.app.state.stores.users.all() == []


@pytest.mark.parametrize("how", ["unsigned", "HS256", "unknown key", "altered"])
def test_an_id_token_without_the_signature_of_the_provider_is_refused(site, provider, how):
    forged = Key("first") if how == "unknown key" else None
    provider.sign = {
        "unsigned": unsigned,
        "HS256": signed_with_the_public_key,
        "unknown key": forged and forged.signed,
        "altered": altered(provider),
    }[how]
    assert signed_in(site) == "http://127.0.0.1/sign-in?fault=sign_on_failed"


def test_clocks_may_differ_by_a_minute_and_keys_may_change(site, provider):
    now = Clock.now // 1000
    provider.claims = {"exp": now - 59, "iat": now + 59}
    assert signed_in(site) == "http://127.0.0.1/jobs"
    provider.claims, provider.key = {}, Key("second")
    provider.published = [provider.key]
    assert signed_in(site) == "http://127.0.0.1/jobs"
    assert provider.asked.count("/keys") == 2
    assert provider.asked.count("/.well-known/openid-configuration") == 1


@pytest.mark.parametrize("change", ["other state", "other browser", "error", "no code", "code of another", "issuer"])
def test_only_the_browser_that_began_can_finish(site, provider, change):
    back = leave(site)
    if change == "other state":
        back = back._replace(query="code=code-0&state=guessed")
    elif change == "other browser":
        site.cookies.clear()
    elif change == "error":
        back = back._replace(query=back.query.replace("code=code-0", "error=access_denied"))
    elif change == "no code":
        back = back._replace(query=back.query.replace("code=code-0", "x=y"))
    elif change == "code of another":  # a victim's browser sends the code of an attacker: the verifier does not fit
        own = read_attempt(site.cookies["wattline_session_sign_on"])
        site.cookies.clear()
        leave(site)
        other = read_attempt(site.cookies["wattline_session_sign_on"])
        back = back._replace(query=back.query.replace(own.state, other.state))
    else:
        back = back._replace(query=back.query + "&iss=https%3A%2F%2Felsewhere.example.org")
    assert come_back(site, back).headers["location"] == "http://127.0.0.1/sign-in?fault=sign_on_failed"
    assert site.get("/api/v1/me").status_code == 401


def test_a_code_works_once(site):
    back = leave(site)
    cookie = site.cookies["wattline_session_sign_on"]
    assert come_back(site, back).headers["location"].endswith("/jobs")
    site.cookies.clear()
    site.cookies.set("wattline_session_sign_on", cookie)
    assert come_back(site, back).headers["location"].endswith("fault=sign_on_failed")


@pytest.mark.parametrize(
    ("user", "fault"),
    [
        ({"groups": ["unknown-group"]}, "no_role"),
        ({"groups": None}, "no_role"),
        ({"groups": [7, None]}, "no_role"),
        ({"preferred_username": "no name"}, "no_user_name"),
        ({"preferred_username": None}, "no_user_name"),
        ({"preferred_username": "local-root"}, "name_taken"),
    ],
)
def test_who_has_no_role_or_the_name_of_another_does_not_sign_in(site, provider, user, fault):
    site.app.state.stores.users.create(User("local-root", ("admin",)))
    provider.user |= user
    assert signed_in(site) == f"http://127.0.0.1/sign-in?fault={fault}"
    assert [known.name for known in site.app.state.stores.users.all()] == ["local-root"]


def test_roles_follow_the_groups_and_names_do_not_change_hands(site, provider):
    users = site.app.state.stores.users
    signed_in(site)
    provider.user["groups"] = ["dc-ops"]
    signed_in(site)
    assert users.get("ada").roles == ("viewer", "operator")
    assert site.get("/api/v1/me").json()["roles"] == ["viewer", "operator"]
    provider.user["preferred_username"] = "bob"
    assert signed_in(site).endswith("fault=name_taken"), "renaming oneself would show the jobs of another"
    provider.user |= {"sub": "u-2", "preferred_username": "ada"}
    assert signed_in(site).endswith("fault=name_taken"), "a new person with the name of a former one"
    provider.user["sub"] = "u-1"
    users.change("ada", disabled=True)
    assert signed_in(site).endswith("fault=disabled")


def test_claims_may_be_elsewhere(make_client, provider):
    site = make_client(
        host="0.0.0.0", oidc_issuer=provider.url, oidc_client_id=CLIENT, oidc_client_secret=SECRET,
        oidc_user_claim="uid", oidc_groups_claim="realm_access.roles", group_roles=ROLES,
    )  # fmt: skip
    provider.user = {"sub": "u-1"}
    provider.user_info = {"sub": "u-1", "uid": "ada", "realm_access": {"roles": ["hpc-users"]}}
    assert signed_in(site).endswith("/jobs")
    provider.user_info["sub"] = "u-2"
    assert signed_in(site).endswith("fault=sign_on_failed")


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://elsewhere.example.org"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "http://elsewhere.example.org/auth"},
    ],
)
def test_a_provider_that_is_another_or_leads_elsewhere_is_not_used(site, provider, metadata):
    provider.metadata = metadata
    away = site.get("/sign-in/oidc", follow_redirects=False)
    assert away.headers["location"] == "http://127.0.0.1/sign-in?fault=provider_away"


def test_a_provider_that_is_away_does_not_break_the_page(make_client):
    site = make_client(
        host="0.0.0.0", oidc_issuer="http://127.0.0.3:9", oidc_client_id=CLIENT, group_roles=ROLES
    )  # fmt: skip
    assert site.get("/sign-in/oidc", follow_redirects=False).headers["location"].endswith("fault=provider_away")
    assert site.get("/api/v1/sign-in").status_code == 200


def test_without_an_issuer_there_is_none(make_client):
    client = make_client(host="0.0.0.0")
    assert client.get("/sign-in/oidc", follow_redirects=False).status_code == 404
    assert client.get("/api/v1/sign-in").json()["single_sign_on"] is None


@pytest.mark.parametrize("page", ["https://evil.example", "//evil.example", "/\\evil.example", "jobs", "", "/a\nb"])
def test_the_way_back_is_never_another_site(page):
    assert new_attempt(page).page == "/"


def test_groups_give_the_roles_of_the_table():
    assert roles_of_groups(ROLES, ["root", "hpc-users", "x"]) == ("researcher", "admin")
    assert roles_of_groups({"*": ("viewer",)}, []) == ("viewer",)
    assert roles_of_groups(ROLES, ["*"]) == ()


@pytest.mark.parametrize(
    "settings",
    [
        {"oidc_issuer": "http://login.example.org", "oidc_client_id": "x", "group_roles": ROLES},
        {"oidc_issuer": "https://login.example.org/?a=b", "oidc_client_id": "x", "group_roles": ROLES},
        {"oidc_issuer": "https://login.example.org", "group_roles": ROLES},
        {"oidc_issuer": "https://login.example.org", "oidc_client_id": "x"},
        {"group_roles": {"x": ["boss"]}},
    ],
)
def test_settings_that_cannot_work_are_refused(make_client, settings):
    with pytest.raises(ValueError, match=r"OIDC|https|boss"):
        make_client(**settings)
