"""A walker plays runs in the browser, frame by frame, and reports text that cannot be read and statements that are
false.

`make test-all` walks every third lesson once, at one of the sizes, in one of the languages, light or dark, with the
first frame of each kind, and a few of the recorded, live and imported clusters; `make test` walks a twelfth of the
lessons and one imported cluster. `make walk` (KSCHEDUI_WALK=all) walks all of them, each frame, at all sizes, in both
languages, light and dark; KSCHEDUI_WALK=390,1280 at two sizes; `-k zh` in one language.

With KSCHEDUI_WALK, a page is kept for all sizes of a language, and a frame for both themes: a theme changes only
colours, so only the checks of colours run in each theme, all others once. Lessons are then also checked with a smaller
stage: the first frame of each kind with the timeline open, and every frame next to "What if".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from kschedui.scenarios import lessons
from kschedui.scenarios.release_examples import HEAD
from kschedui.supervisor.stack import Stack
from tests.conformance.test_autoscaling import recordings
from tests.conformance.test_controllers import files as controllers
from tests.conftest import missing_for_browser_tests
from tests.e2e.walker.clusters import imported
from tests.e2e.walker.page_checks import serve_walker_modules
from tests.sampling import some_quick

HERE = Path(__file__).parent
Size = tuple[int, int]
SIZES: tuple[Size, ...] = ((1280, 720), (1366, 768), (1440, 900), (1920, 1080), (390, 844))
LANGUAGES = ("en", "zh-CN")
THEMES = ("light", "dark")
WALK = os.environ.get("KSCHEDUI_WALK", "")
ASKED = tuple(size for size in SIZES if WALK == "all" or str(size[0]) in WALK.split(","))
LOOKS = tuple(product(SIZES, LANGUAGES, THEMES))
LESSONS = sorted(Path(lessons.__file__).parent.glob("*.yaml"))
DIFFERENCES = sorted(Path(lessons.__file__).parents[1].glob("differences/*.yaml"))
RECORDED = sorted((HERE.parents[1] / "conformance" / "public").glob("*.yaml"))[::7]
FEW = {"every": False, "most": 1, "settle": False, "themes": []}
ALL = {"every": True, "most": 1, "settle": True, "themes": THEMES}
# The page draws without waiting for the screen to refresh, and at once where the walker asks for it (`drawNow`), so most
# frames are never painted. `asking` counts the explanations and manifests that have not arrived; a request that the site
# puts off (202) still counts, because the page repeats it.
HASTE = r"""
globalThis.asking = 0;
const fetched = globalThis.fetch;
const waiting = new Set();
globalThis.fetch = (...all) => {
  if (!/\/(explain|objects)\//.test(String(all[0]))) return fetched(...all);
  if (!waiting.delete(String(all[0]))) globalThis.asking += 1;
  const done = () => setTimeout(() => { globalThis.asking -= 1; });
  return fetched(...all).then((answer) => {
    if (answer.status === 202) return waiting.add(String(all[0])), answer;
    if (!answer.ok) return done(), answer;
    return Object.assign(answer, { json: () => Response.prototype.json.call(answer).finally(done) });
  }, (error) => { done(); throw error; });
};
const turns = [];
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => turns.shift()?.(performance.now());
globalThis.requestAnimationFrame = (draw) => (port2.postMessage(0), turns.push(draw));
globalThis.drawNow = () => { while (turns.length) turns.shift()(performance.now()); };
"""
# The width of a Chinese character in em: boxes that stand for missing characters are narrower.
HAN_WIDTH = """() => {
  const draw = document.createElement("canvas").getContext("2d");
  draw.font = "100px sans-serif";
  return draw.measureText("调度").width / 200;
}"""


@dataclass
class Walker:
    """A page, and the sizes in which to check it."""

    page: Page
    sizes: tuple[Size, ...]

    def faults(self, address: str, *, lanes: bool = False) -> list[str]:
        """Return a line for each fault of a run: the width, the link to the frame, the kind of fault and the text.

        `lanes`: also with the timeline open, and next to "What if".
        """
        lines = []
        self.page.set_viewport_size(size_of(self.sizes[0]))
        self.page.goto(address)
        for size in self.sizes:
            self.page.set_viewport_size(size_of(size))
            walked = self.page.evaluate(
                "async how => (await import('/walker/walk.js')).walk(how)", {**(ALL if ASKED else FEW), "lanes": lanes}
            )
            print(f"{size[0]}: {walked['frames']} frames", *walked["lines"], sep="\n  ")
            lines += [f"{size[0]} {line}" for line in walked["lines"]]
        return lines


@pytest.fixture
def walker(request: pytest.FixtureRequest, browser: Browser, live_stack: Stack) -> Iterator[Walker]:
    """Yield a walker with this test's language, theme and sizes. Errors on the page fail the test."""
    language, theme, sizes = request.param
    context = browser.new_context(base_url=live_stack.url, locale=language, color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()
    page.add_init_script(HASTE)
    serve_walker_modules(context)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    if language == "zh-CN" and page.evaluate(HAN_WIDTH) < 1:
        missing_for_browser_tests("no font for Chinese found, so widths would be wrong: install fonts-wqy-zenhei")
    yield Walker(page, sizes)
    context.close()
    assert not errors, errors


def size_of(size: Size) -> ViewportSize:
    return {"width": size[0], "height": size[1]}


Look = tuple[str, str, tuple[Size, ...]]  # language, theme, sizes


def every_look(_: int) -> list[Look]:
    return [(language, "light", ASKED) for language in LANGUAGES]


def one_look(number: int) -> list[Look]:
    size, language, theme = LOOKS[number * 7 % len(LOOKS)]
    return [(language, theme, (size,))]


def cases(
    scenarios: list[Path], looks: Callable[[int], list[Look]] = every_look if ASKED else one_look
) -> list[object]:
    """Return a test case for each scenario and each of its looks (language, theme and sizes)."""
    return [
        pytest.param(look, path, id=f"{path.stem}-{look[0]}-{look[1]}-{'-'.join(str(width) for width, _ in look[2])}")
        for number, path in enumerate(scenarios)
        for look in looks(number)
    ]


@pytest.mark.parametrize(
    ("walker", "lesson"), some_quick(4, cases(LESSONS if ASKED else LESSONS[::3])), indirect=["walker"]
)
def test_a_lesson_is_readable_and_its_statements_are_true(walker: Walker, lesson: Path) -> None:
    assert not walker.faults(f"/library/{lesson.stem}/", lanes=bool(ASKED))


@pytest.mark.parametrize(
    ("walker", "recorded"),
    cases(RECORDED) + cases(DIFFERENCES, one_look) if ASKED else cases(RECORDED[::8]),
    indirect=["walker"],
)
def test_a_recorded_scenario_is_readable_and_its_statements_are_true(walker: Walker, recorded: Path) -> None:
    text = recorded.read_text(encoding="utf-8")
    if recorded in DIFFERENCES:  # the release is in the file's name
        text = text.replace(HEAD, f'{HEAD}  kubernetesVersion: "{recorded.stem.rpartition("-")[2]}"\n')
    walker.page.goto("/new/")
    saved = walker.page.evaluate(SAVE, text)
    assert "url" in saved, saved
    assert not walker.faults(saved["url"])


# Clusters with controllers and autoscalers, whose behaviour was recorded from the real ones.
LIVE = {name: text for name, text in controllers().items() if name.endswith(".yaml")} | {
    f"{name}.yaml": text for name, (text, _) in recordings().items()
}


@pytest.mark.parametrize(
    ("walker", "name"),
    [
        pytest.param(look, name, id=f"{Path(name).stem}-{look[0]}-{look[2][0][0]}")
        for number, name in enumerate(sorted(LIVE)[:: 1 if ASKED else 12])
        for look in (every_look if ASKED else one_look)(number)
    ],
    indirect=["walker"],
)
def test_a_live_cluster_is_readable_and_its_statements_are_true(walker: Walker, name: str) -> None:
    walker.page.goto("/new/")
    saved = walker.page.evaluate(SAVE, LIVE[name])
    assert "url" in saved, saved
    assert not walker.faults(saved["url"])


# Names and labels of large providers; in the cluster of 12 nodes, each row has a heading.
IMPORTED = {("eks", 12): 0, ("aks", 40): 5, ("gke", 40): 16, ("eks", 40): 10}  # (provider, nodes) -> index of LOOKS


@pytest.mark.parametrize(
    ("walker", "provider", "count"),
    some_quick(
        4,
        [
            pytest.param(look, *cluster, id=f"{cluster[0]}-{cluster[1]}-{look[0]}-{look[2][0][0]}")
            for cluster, number in IMPORTED.items()
            for look in (every_look(number) if ASKED else [(*LOOKS[number][1:], LOOKS[number][:1])])
        ],
    ),
    indirect=["walker"],
)
def test_an_imported_cluster_is_readable_and_its_statements_are_true(walker: Walker, provider: str, count: int) -> None:
    walker.page.goto("/new/")
    saved = walker.page.evaluate(SAVE, imported(provider, count))
    assert "url" in saved, saved
    assert not walker.faults(saved["url"])


SAVE = """async text => {
  const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
  const headers = {"Content-Type": "application/json", "X-CSRFToken": token};
  return (await fetch("/api/v1/scenarios", {method: "POST", headers, body: JSON.stringify({text})})).json();
}"""
