"""Changes since a reader's last read."""

from __future__ import annotations

from scheduler_core.cluster.change_log import ChangeLog


def test_a_reader_gets_each_key_once_in_the_order_of_its_last_change():
    log = ChangeLog()
    for key in "abca":
        log.note(key)
    assert list(log.since(0)) == ["b", "c", "a"]
    assert list(log.since(3)) == ["a"]
    assert list(log.since(log.version)) == []


def test_the_log_is_no_longer_than_there_are_keys():
    log = ChangeLog()
    for _ in range(1000):
        log.note("a")
    assert (log.version, len(log.since(0))) == (1000, 1)
