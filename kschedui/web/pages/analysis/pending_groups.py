"""The pending pods of a run in groups, as work (`kschedui.work`): plain data as input and output."""

from collections.abc import Callable, Sequence
from typing import Any

from kschedui.ask.advice_words import advice_words
from kschedui.ask.afterwards_words import broken_words, evicted_words, standing_words, stuck_words
from kschedui.ask.words import missing_words, near_words
from kschedui.language import in_language
from kschedui.waiting import words
from kschedui.waiting.analysis import LeftBehind, PendingPod
from kschedui.web.api import jobs

MOST = 100  # rows of a page
SHOWN = 20  # rows of a group, when several groups are there
OTHERS = 100  # pods with the same explanation as another one
CACHED = 4  # runs whose pods a process keeps
cached: dict[str, LeftBehind] = {}


def group_pods(rid: str, page: str, by: str, query: str, chosen: str) -> dict[str, Any]:
    """Return the page's (pending.py) `all`, `matching`, `by`, `q`, `group`, `groups`, `hidden` and `others`.

    `page` is the address of the version.
    """
    left = read_left_behind(rid)
    waiting = left.waiting
    pods = [pod for pod in waiting if matches(pod, query)]
    rows, hidden = group_rows(pods, page, by, chosen)
    key = chosen if chosen in {group["key"] for group in rows} else ""
    others = {
        "evicted": list(map(in_language, map(evicted_words, left.evicted[:MOST]))),
        "stuck": list(map(in_language, map(stuck_words, left.stuck[:MOST]))),
        "broken": list(map(in_language, map(broken_words, left.broken[:MOST]))),
        "standing": [in_language(line) for rollout in left.standing[:MOST] for line in standing_words(rollout)],
    }
    counts = {"all": len(waiting), "matching": len(pods)}
    return {**counts, "by": by, "q": query, "group": key, "groups": rows, "hidden": hidden, "others": others}


def read_left_behind(rid: str) -> LeftBehind:
    """Return the pods that a finished run leaves behind. It never changes, and a large one takes seconds, so it is
    cached.
    """
    if rid not in cached:
        left = jobs.left_behind(rid)
        while len(cached) >= CACHED:
            cached.pop(next(iter(cached)), None)
        cached[rid] = left
    return cached[rid]


def matches(pod: PendingPod, query: str) -> bool:
    """Return whether every word of the query is in the pod's name, workload, or message."""
    text = f"{pod.pod} {pod.owner} {pod.message} {pod.dumped}".lower()
    return all(word in text for word in query.lower().split())


def group_rows(waiting: list[PendingPod], page: str, by: str, chosen: str) -> tuple[list[dict[str, Any]], int]:
    """Return the groups of pods by cause or workload, the largest first, and the number of pods that are left out.

    Only the group with the key `chosen` is returned if it exists. A page has at most MOST rows. The pods of a group
    that are `more` than its rows are not left out: the group has a page.
    """
    by_key = group_by_key(waiting, workload_key if by == "workload" else cause_key)
    if chosen in by_key:
        by_key = {chosen: by_key[chosen]}
    groups: list[dict[str, Any]] = []
    room, hidden = MOST, 0
    for key, pods in sorted(by_key.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        if not room:
            hidden += len(pods)
            continue
        rows = group_alike(pods)
        most = room if len(by_key) == 1 else min(room, SHOWN)
        room -= len(rows[:most])
        more = sum(map(len, rows[most:]))
        if len(by_key) == 1:
            more, hidden = 0, more
        groups.append(
            {
                "key": key,
                "title": key if by == "workload" else in_language(words.blocker_words(pods[0])),
                "count": len(pods),
                "pods": [as_row(pod, page, others) for pod, *others in rows[:most]],
                "more": more,
            }
        )
    return groups, hidden


def group_by_key(waiting: list[PendingPod], key_of: Callable[[PendingPod], str]) -> dict[str, list[PendingPod]]:
    """Return the pods by key."""
    by_key: dict[str, list[PendingPod]] = {}
    for pod in waiting:
        by_key.setdefault(key_of(pod), []).append(pod)
    return by_key


def group_alike(pods: list[PendingPod]) -> list[list[PendingPod]]:
    """Group pods with the same explanation and workload, the largest groups first."""
    alike_pods: dict[tuple[object, ...], list[PendingPod]] = {}
    for pod in pods:
        causes = tuple(map(str, map(words.cause_words, pod.causes)))
        nearest = tuple(map(str, map(near_words, pod.nearest or ())))
        alike_pods.setdefault((workload_key(pod), pod.message, pod.dumped, causes, nearest), []).append(pod)
    return sorted(alike_pods.values(), key=len, reverse=True)


def cause_key(pod: PendingPod) -> str:
    return str(words.blocker_words(pod))


def workload_key(pod: PendingPod) -> str:
    namespace, _, name = pod.pod.partition("/")
    return f"{namespace}/{pod.owner or name}"


def as_row(pod: PendingPod, page: str, others: Sequence[PendingPod] = ()) -> dict[str, Any]:
    """Return a row for a pod: {pod, url (of the step), others [{pod, url}] (OTHERS of those with the same explanation),
    count (of the others), more (those that are left out), ask (the address of the changes that make it fit), attempt,
    blocker, causes, nearest, missing, advice, message, dumped, same, why}.
    """
    shown = (pod, *others[:OTHERS])
    step, *steps = ({"pod": like.pod, "url": f"{page}#{like.step}&sel=pod:{like.pod}"} for like in shown)
    return {
        **step,
        "others": steps,
        "count": len(others),
        "more": len(others) - len(steps),
        "ask": f"{page}?ask=changes#{pod.step}",
        "attempt": pod.attempt,
        "blocker": in_language(words.blocker_words(pod)),
        "causes": [in_language(words.cause_words(cause)) for cause in pod.causes],
        "nearest": [in_language(near_words(near)) for near in pod.nearest or ()],
        "missing": [in_language(missing_words(missing)) for missing in pod.missing],
        "advice": list(map(in_language, [*words.group_words(pod), *map(advice_words, pod.advice)])),
        "message": pod.message,
        "dumped": pod.dumped,
        "same": pod.dumped == pod.message,
        "why": [in_language(difference) for difference in words.differences(pod)],
    }
