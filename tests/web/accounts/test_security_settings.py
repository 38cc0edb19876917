"""Security settings: no production without a secret, a strict policy on every page, frames only for embeds."""

import os
import subprocess
import sys
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from kschedui.web.http.client_address import client_of
from kschedui.web.http.security_headers import SecurityHeadersMiddleware
from tests.conftest import ROOT
from tests.web.pages.test_static_files import ask

SECRET = "not-a-real-secret-but-long-enough-and-with-many-different-characters-0123456789"


def manage(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("KSCHEDUI_", "SECRET_KEY"))}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**clean, **env}, capture_output=True, text=True)


@pytest.mark.parametrize("mode", [{"KSCHEDUI_ENV": "production"}, {"KSCHEDUI_DEBUG": "0"}])
def test_production_mode_refuses_to_start_without_a_secret_key(mode: dict[str, str]) -> None:
    done = manage("check", **mode)
    assert done.returncode == 1
    assert "SECRET_KEY" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_djangos_deployment_check_finds_nothing_but_the_choice_of_hsts_on_subdomains() -> None:
    done = manage("check", "--deploy", "--fail-level", "WARNING", KSCHEDUI_ENV="production", SECRET_KEY=SECRET)
    assert {word[:13] for word in done.stderr.split("(security.")[1:]} <= {"W005) You hav", "W021) You hav"}, (
        done.stderr
    )
    strict = manage(
        *("check", "--deploy", "--fail-level", "WARNING"),
        KSCHEDUI_ENV="production",
        SECRET_KEY=SECRET,
        KSCHEDUI_HSTS_SUBDOMAINS="1",
    )
    assert strict.returncode == 0, strict.stderr


def test_debug_in_production_is_refused() -> None:
    done = manage("check", KSCHEDUI_ENV="production", KSCHEDUI_DEBUG="1", SECRET_KEY=SECRET)
    assert done.returncode == 1


def test_an_unknown_database_scheme_is_refused_without_repeating_its_password() -> None:
    done = manage("check", DATABASE_URL="mysql://me:hunter2@localhost/x")
    assert done.returncode == 1
    assert "hunter2" not in done.stderr


def test_responses_that_do_not_reach_django_have_the_policy() -> None:
    for path, headers in (("/static/favicon.svg", {}), ("/api/v1/check", {"content_length": "99999999999"})):
        _, found, _ = ask(path, **headers)
        assert "default-src 'none'" in found["content-security-policy"]
        assert found["x-content-type-options"] == "nosniff"


def test_a_password_with_a_slash_is_not_taken_for_a_port_and_repeated() -> None:
    done = manage("check", DATABASE_URL="postgres://me:hunter/2@localhost/x")
    assert done.returncode == 1
    assert "port" in done.stderr
    assert "hunter" not in done.stderr


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::9", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("x" * 5000, "unknown"),
        ("", "unknown"),
    ],
)
def test_a_customer_with_many_addresses_is_one_client(address: str, client: str) -> None:
    assert client_of(address) == client


@pytest.mark.django_db
def test_pages_carry_a_policy_without_inline_script_or_style(client: Client) -> None:
    policy = client.get("/healthz").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert client.get("/healthz").headers["X-Frame-Options"] == "DENY"


@pytest.mark.django_db
def test_a_redirect_to_tls_carries_the_policy(client: Client, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    redirect = client.get("/")
    assert (redirect.status_code, redirect["Location"]) == (301, "https://testserver/")
    assert "default-src 'none'" in redirect["Content-Security-Policy"]
    assert redirect["X-Frame-Options"] == "DENY"


def test_a_request_with_a_wrong_host_is_not_logged() -> None:
    visit = "from django.test import Client; print(Client().get('/', headers={'host': 'evil.example'}).status_code)"
    done = manage("shell", "--command", visit)
    assert done.stdout.splitlines()[-1] == "400"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("path", "ancestors"), [("/embed/x/v/1/", "frame-ancestors *"), ("/s/embed/", "frame-ancestors 'none'")]
)
def test_only_embeds_may_be_framed(path: str, ancestors: str) -> None:
    middleware = SecurityHeadersMiddleware(lambda request: HttpResponse())
    response = middleware(RequestFactory().get(path))
    assert response.headers["Content-Security-Policy"].endswith(ancestors)
    assert getattr(response, "xframe_options_exempt", False) is (ancestors == "frame-ancestors *")
