"""Login with an OpenID Connect provider over HTTP, and the messages for visitors when it fails.

It uses the authorization code flow with PKCE, and the provider verifies each part of it.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.conftest import StackMaker
from tests.faults.stacks import ONE_POD, breakable
from tests.web.visitor import Visitor

CLIENT, SECRET = "kschedui", "a secret of the site"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Provider(ThreadingHTTPServer):
    """A provider that logs in every visitor as `person`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Endpoints)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.person = {"sub": "17", "preferred_username": "grace"}
        self.codes: dict[str, dict[str, str]] = {}  # code -> authorization request; a used code is removed
        self.tokens: set[str] = set()
        self.refused: list[str] = []


class Endpoints(BaseHTTPRequestHandler):
    """The endpoints for authorization, tokens, users and keys."""

    server: Provider

    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, first_of(urlsplit(self.path).query)
        if path == "/authorization":
            self.authorize(query)
        elif path == "/keys":
            key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
            self.answer(200, {"keys": [{**key, "kid": "k", "alg": "RS256"}]})
        elif self.headers.get("Authorization", "").removeprefix("Bearer ") in self.server.tokens:
            self.answer(200, self.server.person)
        else:
            self.refuse("no access token")

    def authorize(self, query: dict[str, str]) -> None:
        """Redirect to the site with a code."""
        asked = query.get("response_type"), query.get("client_id"), query.get("code_challenge_method")
        if asked != ("code", CLIENT, "S256") or "openid" not in query.get("scope", "").split():
            return self.refuse(f"authorization for {asked}")
        code = secrets.token_urlsafe(16)
        self.server.codes[code] = query
        self.send_response(302)
        back = urlencode({"code": code, "state": query["state"]})
        self.send_header("Location", f"{query['redirect_uri']}?{back}")
        self.send_header("Content-Length", "0")
        self.end_headers()
        return None

    def do_POST(self) -> None:
        """Exchange a code for tokens.

        A code is valid once, for the site that requested it, with the site's secret and the code verifier.
        """
        form = first_of(self.rfile.read(int(self.headers["Content-Length"])).decode())
        asked = self.server.codes.pop(form.get("code", ""), None)
        if asked is None:
            return self.refuse("an unknown code, or one that was used before")
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if challenge != asked["code_challenge"]:
            return self.refuse("another verifier")
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT, SECRET):
            return self.refuse("another client")
        if form.get("redirect_uri") != asked["redirect_uri"]:
            return self.refuse("another address")
        now, access = int(time.time()), secrets.token_urlsafe(16)
        claims = {"iss": self.server.url, "aud": CLIENT, "iat": now, "exp": now + 60, "nonce": asked["nonce"]}
        token = jwt.encode({**claims, "sub": self.server.person["sub"]}, KEY, algorithm="RS256", headers={"kid": "k"})
        self.server.tokens.add(access)
        return self.answer(200, {"access_token": access, "token_type": "Bearer", "id_token": token})

    def refuse(self, why: str) -> None:
        self.server.refused.append(why)
        self.answer(400, {"error": "invalid_request", "error_description": why})

    def answer(self, status: int, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


def first_of(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_login_by_the_code_flow_and_the_message_when_it_fails(make_stack: StackMaker, provider: Provider) -> None:
    known = {"ISSUER": provider.url, "CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET}
    known |= {f"{name}_ENDPOINT": f"{provider.url}/{name.lower()}" for name in ("AUTHORIZATION", "TOKEN", "USER")}
    known["JWKS_ENDPOINT"] = f"{provider.url}/keys"
    stack = breakable(make_stack, **{f"KSCHEDUI_OIDC_{name}": value for name, value in known.items()})
    visitor, other = Visitor(stack.url), Visitor(stack.url)
    saved = visitor.save(ONE_POD)
    status, page = visitor.get("/accounts/sso/?next=/accounts/mine/")
    assert (status, provider.refused) == (200, [])
    assert b"Log out" in page
    assert visitor.run(saved)["scenario"]["id"].encode() in page, "the account has the scenario"
    assert json.loads(visitor.get("/api/v1/me")[1])["account"] == "grace"

    assert other.get("/accounts/sso/callback?code=made-up&state=made-up")[0] in (400, 403)
    provider.person = {"sub": "18", "preferred_username": "grace"}
    assert b"Log out" in other.get("/accounts/sso/?next=/accounts/mine/")[1]
    assert json.loads(other.get("/api/v1/me")[1])["account"] == "grace-2", "another person of the same name"

    provider.shutdown()
    provider.server_close()
    late = Visitor(stack.url)
    status, page = late.get(f"/accounts/sso/callback?{urlencode({'code': 'c', 'state': 's'})}")
    assert status in (400, 403, 503)
    assert b"Traceback" not in page
    assert late.get("/accounts/login/")[0] == 200
