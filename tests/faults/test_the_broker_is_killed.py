"""The broker is killed while runs are followed: pages are still served, and the log has no traceback."""

import os
import re
import signal

import pytest

from kschedui.supervisor.child import Child
from kschedui.supervisor.ports import wait_until
from tests.conftest import StackMaker
from tests.faults.stacks import ONE_POD, SMALL, breakable
from tests.faults.test_a_class_outlives_its_web_process import Member
from tests.web.visitor import LONG, Follower, Visitor

PAGES = ("/", "/new/", "/accounts/login/", "/accounts/mine/", "/readyz", "/releases/")


def test_pages_are_served_and_the_log_has_no_traceback(
    make_stack: StackMaker, capfd: pytest.CaptureFixture[str]
) -> None:
    stack = breakable(make_stack)
    visitor, teacher, student = Visitor(stack.url), Member(stack.url), Member(stack.url)
    run = visitor.save(SMALL)
    visitor.wait_for(run, "done")
    taught = teacher.save(ONE_POD)
    teacher.wait_for(taught, "done")
    teacher.join(code := teacher.start(taught))
    student.join(code)
    follower = Follower(visitor, run)
    follower.follow()
    broker = stack.children["broker"]
    capfd.readouterr()
    os.killpg(broker.group, signal.SIGKILL)
    broker.stop()
    page = f"/s/{visitor.run(run)['scenario']['id']}/"
    for path in (*PAGES, page, f"/api/v1/runs/{run}"):
        status, _ = visitor.get(path)
        assert status == (503 if path == "/readyz" else 200), path
    again = visitor.save(ONE_POD)
    Follower(visitor, run).follow()
    said = capfd.readouterr().err
    stack.children["broker"] = Child(broker.program, stack.guard)
    assert visitor.wait_for(again, "done")
    assert wait_until(lambda: visitor.get("/readyz")[0] == 200, LONG)
    said += capfd.readouterr().err
    web = [line for line in said.splitlines() if not re.match(r"\S* ?\S* (WARNING|ERROR|INFO) celery|\[", line)]
    assert "Traceback" not in said, said
    assert len(web) < 60, said
