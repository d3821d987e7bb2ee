"""An OpenID Connect provider on 127.0.0.3: authorization code with PKCE, RS256 with keys in a JWKS.

It signs with `cryptography` itself, not with the library that the server verifies with. Tests change what it answers.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

ADDRESS = "127.0.0.3"
CLIENT, SECRET = "wattline", "s3cret/with:signs"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def encoded_json(content):
    return encoded(json.dumps(content).encode())


class Key:
    def __init__(self, kid):
        self.kid = kid
        self.private = rsa.generate_private_key(65537, 2048)

    def jwk(self):
        numbers = self.private.public_key().public_numbers()
        n, e = (encoded(x.to_bytes((x.bit_length() + 7) // 8, "big")) for x in (numbers.n, numbers.e))
        return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.kid, "n": n, "e": e}

    def signed(self, claims):
        text = f"{encoded_json({'alg': 'RS256', 'typ': 'JWT', 'kid': self.kid})}.{encoded_json(claims)}"
        return f"{text}.{encoded(self.private.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


class Provider:
    """What it knows and how it lies: `claims` replace those of the ID token (None: left out), `sign` signs them."""

    def __init__(self, url, now_s):
        self.url = url
        self.now_s = now_s
        self.key = Key("first")
        self.published = [self.key]
        self.reset()

    def reset(self):
        self.user = {"sub": "u-1", "preferred_username": "ada", "name": "Ada Lovelace", "groups": ["hpc-users"]}
        self.claims, self.metadata, self.sign, self.user_info = {}, {}, None, {"sub": "u-1"}
        self.codes, self.asked = {}, []

    def document(self):
        names = {"authorization_endpoint": "auth", "token_endpoint": "token", "jwks_uri": "keys",
                 "userinfo_endpoint": "me", "end_session_endpoint": "logout"}  # fmt: skip
        found = {name: f"{self.url}/{path}" for name, path in names.items()}
        return found | {"issuer": self.url, "id_token_signing_alg_values_supported": ["RS256"]} | self.metadata

    def authorize(self, query):
        """Let the user in at once, as a browser with a session there."""
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state'], 'session_state': 'x'})}"

    def token(self, form, authorization):
        asked = self.codes.pop(form["code"], None)
        expected = base64.b64encode(b"wattline:s3cret%2Fwith%3Asigns").decode()  # RFC 6749, 2.3.1
        challenge = encoded(hashlib.sha256(form["code_verifier"].encode()).digest())  # RFC 7636, 4.6
        if asked is None or authorization != f"Basic {expected}" or challenge != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        if asked["code_challenge_method"] != "S256" or form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = self.now_s()
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims = {k: v for k, v in (claims | self.user | self.claims).items() if v is not None}
        sign = self.sign or self.key.signed
        return 200, {"access_token": "access", "token_type": "Bearer", "id_token": sign(claims)}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        provider, parts = self.server.provider, urlsplit(self.path)
        provider.asked.append(parts.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/auth":
            self.send_response(303)
            self.send_header("Location", provider.authorize(query))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        answers = {
            "/.well-known/openid-configuration": provider.document(),
            "/keys": {"keys": [key.jwk() for key in provider.published]},
            "/me": provider.user_info,
        }
        found = answers.get(parts.path)
        self.answer(404 if found is None else 200, found or {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self.answer(*self.server.provider.token(form, self.headers.get("Authorization")))

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Be quiet."""


@contextmanager
def serving_provider(now_s):
    """Serve a provider whose clock is `now_s`."""
    with ThreadingHTTPServer((ADDRESS, 0), Handler) as server:
        server.daemon_threads = True
        server.provider = Provider(f"http://{ADDRESS}:{server.server_port}", now_s)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server.provider
        finally:
            server.shutdown()
            thread.join()
