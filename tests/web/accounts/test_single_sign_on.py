"""Single sign-on with an OpenID Connect provider that runs in this process."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth.models import User

from kschedui.models import Scenario
from tests.web.conftest import Browser

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class FakeProvider(BaseHTTPRequestHandler):
    """A provider that returns the `claims` (in the ID token) and the `person` (from the user endpoint) of the test."""

    claims: dict[str, Any] = {}
    person: dict[str, Any] = {}

    def do_GET(self) -> None:
        key = {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key())), "kid": "k", "alg": "RS256"}
        self.answer({"keys": [key]} if self.path == "/keys" else self.person)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        token = jwt.encode(self.claims, KEY, algorithm="RS256", headers={"kid": "k"})
        self.answer({"access_token": "a", "id_token": token})

    def answer(self, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture
def provider(settings: Any, db: None) -> Iterator[str]:
    """Configure the site for a running provider, and yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), FakeProvider)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    settings.OIDC_ISSUER, settings.OIDC_RP_CLIENT_ID, settings.OIDC_RP_CLIENT_SECRET = url, "kschedui", "secret"
    for name in ("AUTHORIZATION", "TOKEN", "USER"):
        setattr(settings, f"OIDC_OP_{name}_ENDPOINT", f"{url}/{name.lower()}")
    settings.OIDC_OP_JWKS_ENDPOINT = f"{url}/keys"
    settings.OIDC_GROUPS_CLAIM = "groups"
    settings.AUTHENTICATION_BACKENDS = [
        "django.contrib.auth.backends.ModelBackend",
        "kschedui.accounts.single_sign_on.Provider",
    ]
    yield url
    server.shutdown()
    server.server_close()


def log_in(browser: Browser, provider: str, sub: str = "17", person: Any = None, **claims: Any) -> Any:
    """Log in with the provider, and return the response of the callback."""
    asked = browser.get("/accounts/sso/?next=/accounts/")
    assert asked["Location"].startswith(f"{provider}/authorization?")
    query = {name: values[0] for name, values in parse_qs(urlsplit(asked["Location"]).query).items()}
    assert query["code_challenge_method"] == "S256"
    assert query["redirect_uri"] == "http://testserver/accounts/sso/callback"
    now = int(time.time())
    known = {"iss": provider, "aud": "kschedui", "sub": sub, "nonce": query["nonce"], "iat": now, "exp": now + 60}
    FakeProvider.claims = {**known, **claims}
    FakeProvider.person = {"sub": sub, "preferred_username": "grace", **(person or {})}
    return browser.get("/accounts/sso/callback", {"code": "c", "state": query["state"]})


def test_a_first_login_makes_an_account_which_the_next_one_finds(
    author: Browser, stranger: Browser, provider: str
) -> None:
    saved = author.save()
    answer = log_in(author, provider, person={"groups": ["class of 2026"]})
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/")
    user = User.objects.get()
    assert (user.username, user.has_usable_password()) == ("grace", False)
    assert [group.name for group in user.groups.all()] == ["class of 2026"]
    assert Scenario.objects.get(public_id=saved["id"]).owner == user, "what the browser made is the account's"
    log_in(stranger, provider, person={"preferred_username": "another name", "groups": []})
    assert stranger.get("/api/v1/me").json()["account"] == "grace"
    assert User.objects.count() == 1
    assert not user.groups.exists()


def test_a_login_with_the_name_of_an_account_gets_another_account(author: Browser, provider: str) -> None:
    User.objects.create_user("grace", email="grace@example.org")
    log_in(author, provider, person={"email": "grace@example.org"})
    assert author.get("/api/v1/me").json()["account"] == "grace-2"


@pytest.mark.parametrize(
    "wrong",
    [
        {"aud": "another site"},
        {"iss": "https://elsewhere.example"},
        {"nonce": "x"},
        {"exp": 1},
        {"person": {"sub": "18"}},
    ],
    ids=["audience", "issuer", "nonce", "expired", "another person"],
)
def test_a_token_that_is_not_for_this_login_logs_nobody_in(
    author: Browser, provider: str, wrong: dict[str, Any]
) -> None:
    assert log_in(author, provider, **wrong).status_code in (400, 403, 503)
    assert User.objects.count() == 0
    assert author.get("/api/v1/me").json()["account"] is None


def test_a_closed_account_and_a_state_that_was_not_asked_for_are_refused(author: Browser, provider: str) -> None:
    log_in(author, provider)
    User.objects.update(is_active=False)
    assert log_in(Browser(), provider).status_code == 403
    assert Browser().get("/accounts/sso/callback", {"code": "c", "state": "s"}).status_code in (400, 403)


def test_a_login_without_a_reachable_provider_is_refused_with_a_sentence(
    author: Browser, provider: str, settings: Any
) -> None:
    settings.OIDC_OP_TOKEN_ENDPOINT = "http://127.0.0.1:9/token"
    answer = log_in(author, provider)
    assert answer.status_code == 503
    assert "did not log you in" in answer.context["sentence"]


def test_without_a_provider_there_is_no_single_sign_on(author: Browser) -> None:
    for path in ("/accounts/sso/", "/accounts/sso/callback?code=c&state=s"):
        assert author.get(path).status_code == 404
    assert b"/accounts/sso" not in author.get("/accounts/login/").content


def test_the_login_page_offers_single_sign_on_and_signing_up_still_works(author: Browser, provider: str) -> None:
    assert b'href="/accounts/sso/?next=' in author.get("/accounts/login/").content
    form = {"username": "ada", "password1": "a long enough password", "password2": "a long enough password"}
    assert author.post("/accounts/signup/", form).status_code == 302
