"""The API does what its OpenAPI document says, for requests that schemathesis generates from it.

The client that the guide shows works, too.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import positive_data_acceptance

from kschedui.supervisor.stack import Stack
from tests.conftest import ROOT, manage
from tests.web.conftest import SMALL
from tests.web.visitor import LONG, Visitor

pytestmark = pytest.mark.live

EXAMPLES = int(os.environ.get("KSCHEDUI_API_EXAMPLES", "5"))  # for each operation: valid requests, and invalid ones
FEW = settings(
    max_examples=EXAMPLES,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    deadline=None,
)
CLIENT = re.compile(r"```python\n(.*?)```", re.DOTALL)
MAKE_TOKEN = """
from django.contrib.auth.models import User
from kschedui.accounts import tokens
print(tokens.make(User.objects.create_user("a-pipeline"), "a test", ["read", "write"])[1])
"""
# The document allows any string as a text, but a string that is no scenario is refused.
LEFT_OUT = [positive_data_acceptance]

load_all_checks()


@pytest.fixture(scope="module")
def token(live_stack: Stack) -> str:
    return manage(live_stack, "shell", "--no-imports", "-c", MAKE_TOKEN).strip().splitlines()[-1]


def test_the_documented_client_works(live_stack: Stack, token: str, tmp_path: Path) -> None:
    (code,) = CLIENT.findall((ROOT / "docs" / "api.md").read_text(encoding="utf-8"))
    assert len(code.splitlines()) <= 41
    (tmp_path / "client.py").write_text(code, encoding="utf-8")
    (tmp_path / "scenario.yaml").write_text(SMALL, encoding="utf-8")
    command = [sys.executable, "-I", "client.py", "scenario.yaml"]
    env = {"KSCHEDUI_URL": live_stack.url, "KSCHEDUI_TOKEN": token}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert first.startswith(f"{live_stack.url}/s/")
    assert rest[0] == "run done"
    assert {"default/a Scheduled n1", "default/b Scheduled n2"} <= set(rest[1:]) or len(rest) == 4, rest
    refused = subprocess.run(command, cwd=tmp_path, env={**env, "KSCHEDUI_TOKEN": "no"}, capture_output=True, text=True)
    assert refused.stderr.startswith("invalid_token: ")


@pytest.mark.slow
def test_every_operation_answers_as_the_document_says(live_stack: Stack, token: str) -> None:
    visitor = Visitor(live_stack.url)
    run = visitor.save(SMALL)
    scenario = visitor.wait_for(run, "done")["scenario"]["id"]
    experiment = visitor.post("/api/v1/experiments", scenario=scenario, factors=[{"seeds": [1]}])[1]["id"]
    schema = schemathesis.openapi.from_url(f"{live_stack.url}/api/v1/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 30
    for operation in operations:
        answers_as_documented(operation, {"sid": scenario, "rid": run, "eid": experiment}, f"Bearer {token}")


def answers_as_documented(operation: Any, ids: dict[str, str], authorization: str) -> None:
    """Send generated requests to an operation, and compare the answers with the document.

    They are EXAMPLES valid requests about an existing scenario and run (unless the operation deletes), and as many
    invalid ones if the operation can have any.
    """
    known = {name: value for name, value in ids.items() if name in operation.path and operation.method != "delete"}

    def ask(case: Any, mode: GenerationMode) -> None:
        if mode.is_positive:
            case.path_parameters.update(known)
        if isinstance(case.body, dict) and case.body.get("visibility") == "public":
            case.body["visibility"] = "unlisted"  # other tests look at the first page
        case.call_and_validate(headers={"Authorization": authorization}, excluded_checks=LEFT_OUT, timeout=LONG)

    for mode in GenerationMode:
        cases = operation.as_strategy(generation_mode=mode)
        try:
            settings(FEW)(given(case=cases, mode=st.just(mode))(ask))()
        except Unsatisfiable:
            assert mode.is_negative
            assert not operation.body
