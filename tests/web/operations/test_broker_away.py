"""Without a broker, announcing work is tried once and skipped: workers find the work in the database."""

import pytest
from kombu.exceptions import OperationalError
from kombu.utils import functional

from kschedui.celery import app
from kschedui.runs import store
from kschedui.supervisor.ports import free_port


def test_an_announcement_does_not_wait_for_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(functional, "sleep", pauses.append)
    with app.connection_for_write(f"redis://127.0.0.1:{free_port()}/0") as broker, pytest.raises(OperationalError):
        app.send_task(store.TASK, connection=broker, retry=False)
    assert not pauses
