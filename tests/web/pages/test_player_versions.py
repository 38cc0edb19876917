"""Links from the player to the scenario's other versions, and to the changes between them."""

from __future__ import annotations

import re
from base64 import b64decode

import pytest

from kschedui.models import Run
from kschedui.runs import store as runs
from kschedui.web.pages import cards
from tests.web.conftest import SMALL, Browser

LINK = re.compile(r'<a href="([^"]+)"( aria-current="page")?>Version (\d+)</a>(?:<a href="([^"]+)">What changed</a>)?')


def listed(page: str) -> list[tuple[str, bool, int, str]]:
    """Return (address, whether it is shown, number, address of the comparison) in the order of the page."""
    return [(one[1], bool(one[2]), int(one[3]), one[4] or "") for one in LINK.finditer(page)]


def test_a_single_version_has_no_list(author: Browser) -> None:
    saved = author.save()
    page = author.get(saved["url"]).content.decode()
    assert listed(page) == []
    assert 'id="versions"' not in page


def test_the_player_names_its_version_and_leads_to_the_others_and_to_what_changed(author: Browser) -> None:
    first = author.save()
    sid = first["id"]
    for number in (2, 3):
        author.save(SMALL.replace("Small", f"Small {number}"), parent=sid, base=number - 1)
    page = author.get(f"/s/{sid}/v/2/").content.decode()
    assert listed(page) == [
        (f"/s/{sid}/v/3/", False, 3, f"/s/{sid}/diff/2/3/"),
        (f"/s/{sid}/v/2/", True, 2, ""),
        (f"/s/{sid}/v/1/", False, 1, f"/s/{sid}/diff/1/2/"),
    ]
    for address, _, _, difference in listed(page):
        assert author.get(address).status_code == 200
        assert not difference or author.get(difference).status_code == 200


def test_an_embedded_player_leads_nowhere_else(author: Browser) -> None:
    sid = author.save()["id"]
    author.save(SMALL.replace("Small", "Other"), parent=sid, base=1)
    assert listed(author.get(f"/embed/{sid}/v/1/").content.decode()) == []


def test_a_fork_leads_to_what_it_was_made_from_and_to_what_changed_between_the_two(author: Browser) -> None:
    origin = author.save()
    made = author.save(SMALL.replace("Small", "Other"), fork_of=origin["id"])
    pair = f"{origin['id']}/1/{made['id']}/1"
    page = author.get(made["url"]).content.decode()
    assert f'<a href="/s/{origin["id"]}/v/1/">' in page
    assert f'<a href="/compare/{pair}/">' in page
    assert f'<a href="/compare/{pair}/text/">What changed</a>' in page
    changed = author.get(f"/compare/{pair}/text/").content.decode()
    assert re.search(r'class="added".*Other', changed)
    assert re.search(r'class="removed".*Small', changed)


def test_the_page_brings_the_first_chunk_along_as_it_is_stored(author: Browser, many: Run) -> None:
    boot = author.get(f"/s/{many.version.scenario.public_id}/").context["boot"]
    assert b64decode(boot["chunk"]) == runs.frame(many.public_id, 0)
    assert boot["steps"] == many.steps


def test_a_first_chunk_that_is_long_or_not_there_yet_comes_over_the_connection(
    author: Browser, many: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/s/{many.version.scenario.public_id}/"
    monkeypatch.setattr(cards, "MAX_INLINE", len(runs.frame(many.public_id, 0) or b"") - 1)
    assert author.get(address).context["boot"]["chunk"] == ""
    queued = author.get(author.save()["url"]).context["boot"]
    assert (queued["chunk"], queued["steps"]) == ("", 0)
