"""/metrics for Prometheus.

Some metrics are those of the site: counted by all processes (`kschedui.tallies`), or read from the database. Others are
those of this web process, so each web process must be scraped. The help texts say which.
"""

import hmac
from collections import Counter as Tally
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily
from prometheus_client.registry import Collector

from kschedui import tallies
from kschedui.classrooms import store as classrooms
from kschedui.models import Batch, Run
from kschedui.runs import storage_limits
from kschedui.web.http.byte_budget import unsent
from kschedui.work import work_pool

Family = CounterMetricFamily | GaugeMetricFamily | SummaryMetricFamily
SITE, PROCESS = " (the whole site's)", " (this process's)"

registry = CollectorRegistry()
refusals = Counter(
    "kschedui_refusals", "Requests that were refused, by the problem's code" + PROCESS, ["code"], registry=registry
)
sockets: Tally[str] = Tally()  # open websockets, by client address
students: Tally[object] = Tally()  # sockets of students, by class and student


@contextmanager
def counted_socket(address: str) -> Iterator[None]:
    """Count an open connection of a client address while the block runs."""
    sockets[address] += 1
    try:
        yield
    finally:
        sockets[address] -= 1
        if not sockets[address]:
            del sockets[address]


def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics to callers with the token.

    Without KSCHEDUI_METRICS_TOKEN, they are available in development only.
    """
    token, sent = settings.METRICS_TOKEN, request.headers.get("Authorization", "")
    allowed = hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()) if token else settings.DEBUG
    if not allowed:
        return HttpResponse(status=404)
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class Site(Collector):
    """Metrics that are computed on request."""

    def collect(self) -> Iterator[Family]:
        """Yield all metric families."""
        yield from counters()
        yield from queue_lengths()
        yield from class_counts()
        yield from storage()
        yield from process_metrics()


def counters() -> Iterator[Family]:
    """Yield the counters of all processes."""
    counts = tallies.read()
    attempts = counter("scheduler_schedule_attempts", "Attempts to schedule pods, by result", "result")
    ended = counter("kschedui_runs_ended", "Runs that ended, by state", "state")
    cells = counter("kschedui_experiment_runs", "Runs of experiments, by whether they have measures", "result")
    for family, name in ((attempts, tallies.ATTEMPTS), (ended, tallies.RUNS), (cells, tallies.CELLS)):
        for label in tallies.LABELS[name]:
            family.add_metric([label], counts[name, label])
        yield family
    yield CounterMetricFamily("kschedui_chunks", "Chunks stored" + SITE, counts[tallies.CHUNKS, ""])
    yield CounterMetricFamily("kschedui_chunk_bytes", "Bytes of them" + SITE, counts[tallies.CHUNK_BYTES, ""])
    yield CounterMetricFamily(
        "kschedui_damaged_chunks", "Damaged chunks that were read" + SITE, counts[tallies.DAMAGED, ""]
    )
    waits, milliseconds = counts[tallies.WAITS, ""], counts[tallies.WAIT_MILLISECONDS, ""]
    about = "Seconds from being queued to being taken by a worker" + SITE
    yield SummaryMetricFamily("kschedui_queue_wait_seconds", about, count_value=waits, sum_value=milliseconds / 1000)


def queue_lengths() -> Iterator[Family]:
    """Yield the lengths of the queues, and how long the first run has waited, from the database."""
    unended = Run.objects.filter(state__in=[Run.State.QUEUED, Run.State.RUNNING]).order_by()
    runs_by_state = dict(unended.values_list("state").annotate(Count("pk")))
    family = GaugeMetricFamily("kschedui_runs", "Runs that have not ended, by state" + SITE, labels=["state"])
    for state in (Run.State.QUEUED, Run.State.RUNNING):
        family.add_metric([state], runs_by_state.get(state, 0))
    yield family
    batches = Batch.objects.filter(state__in=[Run.State.QUEUED, Run.State.RUNNING]).order_by()
    by_state = dict(batches.values_list("state").annotate(Count("pk")))
    waiting = "Batches of experiments' runs that have not ended, by state" + SITE
    of_experiments = GaugeMetricFamily("kschedui_experiment_batches", waiting, labels=["state"])
    for state in (Run.State.QUEUED, Run.State.RUNNING):
        of_experiments.add_metric([state], by_state.get(state, 0))
    yield of_experiments
    first = unended.filter(state=Run.State.QUEUED, tries=0).aggregate(first=Min("created"))["first"]
    age = (timezone.now() - first).total_seconds() if first else 0.0
    yield GaugeMetricFamily("kschedui_oldest_queued_seconds", "How long the oldest queued run has waited" + SITE, age)


def class_counts() -> Iterator[Family]:
    """Yield the number of classes (from the database, by an index) and the number of students connected to this
    process.
    """
    yield GaugeMetricFamily("kschedui_classes", "Classes that are not over" + SITE, classrooms.live().count())
    yield GaugeMetricFamily("kschedui_class_students", "Students who follow a class" + PROCESS, len(students))


def storage() -> Iterator[Family]:
    """Yield the use of the storage."""
    yield GaugeMetricFamily("kschedui_database_bytes", "Size of the database" + SITE, storage_limits.database_size())
    free = storage_limits.free_disk()
    if free is not None:
        yield GaugeMetricFamily("kschedui_free_disk_bytes", "Free where SQLite's file is" + SITE, free)


def process_metrics() -> Iterator[Family]:
    """Yield the metrics of this process."""
    yield GaugeMetricFamily("kschedui_viewers", "Open websockets" + PROCESS, sum(sockets.values()))
    yield GaugeMetricFamily("kschedui_unsent_bytes", "Bytes that clients have not taken yet" + PROCESS, unsent.used)
    yield GaugeMetricFamily("kschedui_unsent_bytes_limit", "As many as it may hold" + PROCESS, unsent.most)
    yield CounterMetricFamily("kschedui_unsent_waits", "Answers that had to wait for room" + PROCESS, unsent.waits)
    work = counter("kschedui_work", "Visitors' work by function, and what was refused or ended", "work", PROCESS)
    for name, count in sorted(work_pool.counted.items()):
        work.add_metric([name], count)
    yield work


def counter(name: str, about: str, label: str, whose: str = SITE) -> CounterMetricFamily:
    """Return an empty counter with one label."""
    return CounterMetricFamily(name, about + whose, labels=[label])


registry.register(Site())
