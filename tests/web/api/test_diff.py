"""Two texts compared line by line: every row is true, and hostile lines take no extra time."""

import random

import pytest

from kschedui.scenarios import diff


def rebuilt(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return both texts, rebuilt from the diff's blocks and the lines between them."""
    old, new = before.splitlines(), after.splitlines()
    from_old, from_new = [], []
    for tag, i1, i2, j1, j2 in diff.opcodes(old, new):
        assert (tag == "equal") == (old[i1:i2] == new[j1:j2])
        from_old += old[i1:i2]
        from_new += new[j1:j2]
    return from_old, from_new


@pytest.mark.parametrize("seed", range(60))
def test_the_blocks_cover_both_texts(seed: int) -> None:
    chance = random.Random(seed)
    before = [chance.choice("abcdefgh") * (1 + seed % 3) for _ in range(chance.randrange(60))]
    after = [line for line in before if chance.random() < 0.8]
    for _ in range(chance.randrange(8)):
        after.insert(chance.randrange(len(after) + 1), chance.choice("abxyz"))
    assert rebuilt("\n".join(before), "\n".join(after)) == (
        "\n".join(before).splitlines(),
        "\n".join(after).splitlines(),
    )


def test_one_changed_line_is_one_row_out_and_one_in() -> None:
    before = [f"line {i}" for i in range(40)]
    after = [*before[:20], "another", *before[21:]]
    rows = list(diff.compare("\n".join(before), "\n".join(after)))
    assert [(row["mark"], row["old"], row["new"], row["text"]) for row in rows if row["mark"] in "+-"] == [
        ("-", 21, None, "line 20"),
        ("+", None, 21, "another"),
    ]
    assert [row["text"] for row in rows if row["mark"] == " "] == [*before[16:20], *before[21:25]]
    assert rows[0]["mark"] == "@"


def test_a_moved_part_keeps_the_longer_rest() -> None:
    before = [f"line {i}" for i in range(30)]
    after = [*before[25:], *before[:25]]
    rows = list(diff.compare("\n".join(before), "\n".join(after)))
    assert sum(row["mark"] == "+" for row in rows) == sum(row["mark"] == "-" for row in rows) == 5


def test_equal_texts_have_no_rows() -> None:
    assert list(diff.compare("a\nb", "a\nb")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["a", "b"] * 15_000, ["b", "c"] * 15_000),
        ([f"{i % 170}" for i in range(30_000)], [f"{i % 171}" for i in range(30_000)]),
        ([f"{i}" for i in range(30_000)], [f"{i}" for i in reversed(range(30_000))]),
        (["x"] * 30_000, ["y", *["x"] * 29_000, "y"]),
    ],
    ids=["alternating", "cycles", "backwards", "all the same"],
)
def test_lines_made_to_cost_time_are_looked_at_a_few_times_each(old: list[str], new: list[str]) -> None:
    class Counted(str):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Counted.compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    diff.opcodes([Counted(line) for line in old], [Counted(line) for line in new])
    assert Counted.compared < 40 * (len(old) + len(new))
