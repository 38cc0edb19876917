"""The database models: scenarios, their immutable versions, runs, chunks of runs, experiments, classes and courses.

Public ids cannot be guessed: they are part of shared links, and previews are private.
"""

import json
import secrets
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

# Without the letters and digits that are mistaken for each other when read aloud or typed from a slide.
ID_ALPHABET = "23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
ID_LENGTH = 12  # 56 ** 12 is about 2 ** 70


def new_public_id() -> str:
    """Return a random id for a link (70 bits)."""
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_LENGTH))


def is_public_id(text: str) -> bool:
    """Return whether the text could be an id. Also accepts lengths that were used before."""
    return text.isascii() and text.isalnum() and len(text) <= 32


class MessageField(models.TextField):
    """A message with its template and values, so that each reader gets it in their own language.

    The engine is imported only for a message, so that a site, whose start needs the tables, starts faster.
    """

    def get_prep_value(self, value: Any) -> Any:
        if not value:
            return super().get_prep_value(value)
        from scheduler_core.apis.messages import Message

        return json.dumps(value.as_data()) if isinstance(value, Message) else super().get_prep_value(value)

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> str | None:
        """Read a stored message (None stays None).

        A value that is not a pair is a sentence from before templates were stored.
        """
        if not value or not value.startswith('["'):
            return value
        from scheduler_core.apis.messages import Message

        return Message.from_data(json.loads(value))


class Scenario(models.Model):
    """A stored scenario. Its texts are versions; this row has the owner and the visibility."""

    class Visibility(models.TextChoices):
        PRIVATE = "private", _("Only me")
        UNLISTED = "unlisted", _("Everyone with the link")
        PUBLIC = "public", _("Everyone; listed on the first page")

    public_id = models.CharField(max_length=ID_LENGTH, unique=True, default=new_public_id, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="scenarios")
    editor_hash = models.CharField(max_length=64, blank=True, db_index=True)  # of the browser that may edit it
    visibility = models.CharField(max_length=8, choices=Visibility.choices, default=Visibility.UNLISTED)
    title = models.CharField(max_length=200)
    renamed = models.BooleanField(default=False)  # then a new version does not change the title
    slug = models.CharField(max_length=64, unique=True, null=True, blank=True)
    loaded = models.CharField(max_length=64, blank=True)  # a lesson's library.digest_of when it was loaded last
    scratch = models.BooleanField(default=False)  # holds previews of unsaved text; ends with the day
    fork_of = models.ForeignKey("Version", models.SET_NULL, null=True, blank=True, related_name="forks")
    sharing = models.PositiveIntegerField(default=0)  # how often it changed with whom it is shared
    created = models.DateTimeField(default=timezone.now, editable=False)
    updated = models.DateTimeField(default=timezone.now, db_index=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-updated"]

    def __str__(self) -> str:
        return f"{self.public_id} {self.title}"


class Course(models.Model):
    """Scenarios in the order in which they are taught.

    Everyone with the link sees it, with those scenarios that they can see.
    """

    public_id = models.CharField(max_length=ID_LENGTH, unique=True, default=new_public_id, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="courses")
    editor_hash = models.CharField(max_length=64, blank=True, db_index=True)  # of the browser that made it
    title = models.CharField(max_length=200)
    about = models.TextField(blank=True)
    scenarios = models.JSONField(default=list)  # public ids, in order
    created = models.DateTimeField(default=timezone.now, editable=False)
    updated = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-updated"]

    def __str__(self) -> str:
        return f"{self.public_id} {self.title}"


class Version(models.Model):
    """A saved text of a scenario; immutable. Lists do not load its large columns."""

    scenario = models.ForeignKey(Scenario, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()  # from 1
    challenge = models.TextField(blank=True)  # its Challenge document, which only its author may read
    bytes = models.PositiveIntegerField(default=0)  # of the text
    sha256 = models.CharField(max_length=64, db_index=True)
    summary = models.JSONField(default=dict)  # see engine.summary: what cards and pictures show; lists load it
    lesson = models.JSONField(default=dict)  # the texts of the scenario (scheduler_core.scenario.lesson.Lesson)
    description = models.JSONField(default=dict)  # their description as safe HTML, by language: "en", "zh"
    created = models.DateTimeField(default=timezone.now, editable=False)
    text = models.TextField()  # the last column: SQLite goes through all of it to read one that follows

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["scenario", "number"], name="version_number_is_unique")]

    def __str__(self) -> str:
        return f"{self.scenario_id} v{self.number}"

    @staticmethod
    def large(prefix: str = "") -> list[str]:
        """Return the large columns, to be loaded on access; `prefix`: the lookup of the version ("run__version__")."""
        return [f"{prefix}{column}" for column in ("text", "challenge", "lesson", "description")]


class ParsedText(models.Model):
    """The scenario of a version's text, for texts that take long to parse; it only saves time."""

    version = models.OneToOneField(Version, models.CASCADE, primary_key=True, related_name="parsed")
    packed = models.BinaryField()  # see scenarios/parsed.py

    def __str__(self) -> str:
        return f"{self.version_id}"


class Note(models.Model):
    """A private note at a step of a version. Only its author can read it."""

    version = models.ForeignKey(Version, models.CASCADE, related_name="notes")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")  # who wrote it;
    editor_hash = models.CharField(max_length=64, blank=True, db_index=True)  # without an account, their browser
    step = models.PositiveIntegerField()
    text = models.TextField()

    class Meta:
        ordering = ["step"]
        constraints = [
            models.UniqueConstraint(fields=["version", "owner", "step"], name="one_note_of_an_account"),
            models.UniqueConstraint(
                fields=["version", "editor_hash", "step"],
                condition=models.Q(owner=None),
                name="one_note_of_a_browser",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version_id} {self.step}"


class Held(models.Model):
    """A row that one worker at a time works on (runs/leases.py). `attempt` is a fencing token for writes."""

    attempt = models.PositiveIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=0)  # attempts since somebody asked for it
    lease_until = models.DateTimeField(null=True, blank=True)  # a worker holds it until then
    queued_at = models.DateTimeField(default=timezone.now)  # the time of the last message to the broker
    started = models.DateTimeField(null=True, blank=True)  # when a worker took it last

    class Meta:
        abstract = True


class Run(Held):
    """The simulation of a version by an engine."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Length(models.TextChoices):
        LONG = "long"
        SHORT = "short"

    ENDED = (State.DONE, State.FAILED, State.CANCELLED)

    public_id = models.CharField(max_length=ID_LENGTH, unique=True, default=new_public_id, editable=False)
    version = models.ForeignKey(Version, models.CASCADE, related_name="runs")
    engine_version = models.CharField(max_length=40)
    kubernetes_version = models.CharField(max_length=8, blank=True)  # whose scheduler decides; "": as the text says
    state = models.CharField(max_length=9, choices=State.choices, default=State.QUEUED)
    length = models.CharField(max_length=5, choices=Length.choices, default=Length.LONG)  # see turns.length_of
    party = models.CharField(max_length=64, blank=True)  # whose turn it takes, and in it which author's (turns.py);
    author = models.CharField(max_length=64, blank=True)  # "" for the library
    address = models.CharField(max_length=64, blank=True)  # hashed, of who asked for it first
    seen = models.DateTimeField(default=timezone.now)  # when somebody looked at it last; kept for previews
    steps = models.PositiveIntegerField(default=0)
    chunks = models.PositiveIntegerField(default=0)
    bytes = models.BigIntegerField(default=0)  # of its frames
    time = models.FloatField(default=0.0)  # virtual seconds
    error = MessageField(blank=True)  # why it failed
    outcome = models.JSONField(default=dict)  # see worker.Outcome; empty until done
    created = models.DateTimeField(default=timezone.now, editable=False)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["created", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["version", "engine_version", "kubernetes_version"], name="run_is_found_again"
            )
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="run_by_lease"),
            models.Index(fields=["party", "started"], name="run_by_party"),
            models.Index(fields=["address", "created"], name="run_by_address"),
            models.Index(fields=["author"], name="run_by_author"),  # whose storage is summed at each save
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.state}"

    @property
    def ended(self) -> bool:
        """Return whether the run has ended: nothing is added to it any more."""
        return self.state in self.ENDED


class Chunk(models.Model):
    """A piece of a run's trace, stored as the bytes of its websocket frame (`frames.py`); immutable."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="stored")
    seq = models.PositiveIntegerField()  # from 0, without gaps
    first_step = models.PositiveIntegerField()
    events = models.PositiveIntegerField()
    frame = models.BinaryField()

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["run", "seq"], name="chunk_is_stored_once")]

    def __str__(self) -> str:
        return f"{self.run_id}/{self.seq}"


class Experiment(models.Model):
    """A version run for every combination of the levels of its factors (scheduler_core/experiments)."""

    public_id = models.CharField(max_length=ID_LENGTH, unique=True, default=new_public_id, editable=False)
    version = models.ForeignKey(Version, models.CASCADE, related_name="experiments")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    editor_hash = models.CharField(max_length=64, blank=True, db_index=True)  # of the browser that asked for it
    party = models.CharField(max_length=64, blank=True)  # whose turn it takes (runs/turns.py)
    factors = models.JSONField()  # as they were given
    size = models.PositiveIntegerField()  # cells
    engine_version = models.CharField(max_length=40)
    kubernetes_version = models.CharField(max_length=8, blank=True)  # of all cells; "": as the text says
    state = models.CharField(max_length=9, choices=Run.State.choices, default=Run.State.RUNNING)
    error = MessageField(blank=True)  # why it was ended
    bytes = models.BigIntegerField(default=0)  # of its results
    forgotten = models.BooleanField(default=False)  # its results were removed to make room
    created = models.DateTimeField(default=timezone.now, editable=False)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created", "-pk"]

    def __str__(self) -> str:
        return f"{self.public_id} {self.state}"


class Batch(Held):
    """Consecutive cells of an experiment that one worker runs together."""

    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="batches")
    first = models.PositiveIntegerField()  # cell, from 1
    count = models.PositiveIntegerField()
    state = models.CharField(max_length=9, choices=Run.State.choices, default=Run.State.QUEUED)
    done = models.PositiveIntegerField(default=0)  # cells that have a result
    failed = models.PositiveIntegerField(default=0)  # of them, those without measures
    seconds = models.FloatField(default=0.0)  # of work

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["experiment", "first"], name="batch_is_there_once")]
        indexes = [models.Index(fields=["state", "lease_until"], name="batch_by_lease")]

    def __str__(self) -> str:
        return f"{self.experiment_id}/{self.first}+{self.count}"


class Result(models.Model):
    """The result of one cell; immutable."""

    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="results")
    number = models.PositiveIntegerField()  # of the cell, from 1
    measures = models.JSONField(null=True)  # a list (experiments/table.py); null: `error` says why there are none
    error = MessageField(blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["experiment", "number"], name="cell_is_done_once")]

    def __str__(self) -> str:
        return f"{self.experiment_id}/{self.number}"


class Share(models.Model):
    """A scenario shared with an account, or with a group; exactly one of the two is set."""

    scenario = models.ForeignKey(Scenario, models.CASCADE, related_name="shares")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    group = models.ForeignKey("auth.Group", models.CASCADE, null=True, blank=True, related_name="+")
    may_edit = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scenario", "user"], name="shared_once_with_an_account"),
            models.UniqueConstraint(fields=["scenario", "group"], name="shared_once_with_a_group"),
            models.CheckConstraint(
                condition=models.Q(user=None) ^ models.Q(group=None), name="shared_with_an_account_or_a_group"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scenario_id} {self.user or self.group}"


class Identity(models.Model):
    """The identity of an account at the single sign-on provider."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=200)
    subject = models.CharField(max_length=255)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="identity_has_one_account")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.subject}"


class ApiToken(models.Model):
    """A token for scripts, instead of a password. Only its hash is stored."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64, unique=True)
    scopes = models.CharField(max_length=40)  # words: read, write
    created = models.DateTimeField(default=timezone.now, editable=False)
    expires = models.DateTimeField(null=True, blank=True)  # null: never
    last_used = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created"]

    def __str__(self) -> str:
        return f"{self.owner_id} {self.name}"


class SessionUse(models.Model):
    """The last use of a session of an account, with the browser; it is deleted with the session."""

    session = models.OneToOneField("sessions.Session", models.CASCADE, related_name="use")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    browser = models.CharField(max_length=40)  # "Firefox, Linux"
    since = models.DateTimeField(default=timezone.now, editable=False)
    last_used = models.DateTimeField()

    class Meta:
        ordering = ["-last_used"]

    def __str__(self) -> str:
        return f"{self.owner_id} {self.browser}"


class IdempotencyKey(models.Model):
    """The result of a create call with this key, so that repeating the call creates nothing; stored for a day."""

    author = models.CharField(max_length=64)  # an account, or a browser
    key = models.CharField(max_length=128)
    sha256 = models.CharField(max_length=64)  # of what was asked
    version = models.ForeignKey(Version, models.CASCADE, related_name="+")
    created = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["author", "key"], name="idempotency_key_is_used_once")]

    def __str__(self) -> str:
        return f"{self.author} {self.key}"


class Upload(Held):
    """A large request that a worker answers (kschedui/uploads). Its body and its response are parts."""

    public_id = models.CharField(max_length=ID_LENGTH, unique=True, default=new_public_id, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    editor_hash = models.CharField(max_length=64, blank=True, db_index=True)  # of the browser that sent it
    party = models.CharField(max_length=64)  # whose turn it takes, and in it which author's (runs/turns.py)
    author = models.CharField(max_length=64)
    address = models.CharField(max_length=64)  # hashed, that it came from
    language = models.CharField(max_length=16)  # of the answer
    request = models.JSONField()  # see store.StoredRequest
    bytes = models.BigIntegerField(default=0)  # of its parts
    state = models.CharField(max_length=9, choices=Run.State.choices, default=Run.State.QUEUED)
    progress = models.FloatField(default=0.0)  # from 0 to 1, as far as that is known
    error = MessageField(blank=True)  # why there is no answer
    status = models.PositiveSmallIntegerField(null=True)  # of the answer
    content_type = models.CharField(max_length=100, blank=True)
    saved = models.ForeignKey(Version, models.SET_NULL, null=True, blank=True, related_name="+")  # by the request
    created = models.DateTimeField(default=timezone.now, editable=False, db_index=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["state", "lease_until"], name="upload_by_lease")]

    def __str__(self) -> str:
        return f"{self.public_id} {self.state}"


class UploadPart(models.Model):
    """A piece of an upload's data, compressed and encrypted (uploads/parts.py); immutable."""

    class Kind(models.TextChoices):
        BODY = "body"
        ANSWER = "answer"
        DIGEST = "digest"

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="parts")
    kind = models.CharField(max_length=6, choices=Kind.choices)
    seq = models.PositiveIntegerField()  # from 0
    content = models.BinaryField()

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["upload", "kind", "seq"], name="upload_part_is_stored_once")]

    def __str__(self) -> str:
        return f"{self.upload_id} {self.kind} {self.seq}"


class Classroom(models.Model):
    """A run that a teacher shows to everyone who has the code. Students need no account."""

    code = models.CharField(max_length=4, unique=True)
    run = models.ForeignKey(Run, models.CASCADE, related_name="classrooms")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")  # the teacher;
    editor_hash = models.CharField(max_length=64, blank=True)  # without an account the teacher's browser
    number = models.PositiveIntegerField(default=0)  # of the last change
    place = models.JSONField(default=dict)  # where the teacher is: {step, frame, order, selection, by}
    paused = models.BooleanField(default=False)
    gathered = models.PositiveIntegerField(default=0)  # how often everyone was called back
    asked = models.JSONField(default=dict)  # the question on screen: {id, choices}, revealed {counts, right} too
    revealed = models.JSONField(default=list)  # [{id, text, labels, counts, right}]
    created = models.DateTimeField(default=timezone.now, editable=False)
    expires = models.DateTimeField(db_index=True)
    ended_at = models.DateTimeField(null=True)
    next = models.ForeignKey("self", models.SET_NULL, null=True, related_name="previous")  # it goes on there

    def __str__(self) -> str:
        return self.code


class Answer(models.Model):
    """A student's last answer. The student is identified by a hash of the browser's token and the class."""

    classroom = models.ForeignKey(Classroom, models.CASCADE, related_name="answers")
    question = models.CharField(max_length=64)
    student = models.CharField(max_length=32)
    choice = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["classroom", "question", "student"], name="a_student_answers_once")
        ]

    def __str__(self) -> str:
        return f"{self.classroom_id} {self.question} {self.choice}"


class Solver(models.Model):
    """A student's tries at the challenge of a class. The name is given by the student, or ""."""

    classroom = models.ForeignKey(Classroom, models.CASCADE, related_name="solvers")
    student = models.CharField(max_length=32)
    name = models.CharField(max_length=40, blank=True)
    tries = models.PositiveIntegerField(default=0)
    held = models.PositiveSmallIntegerField(default=0)  # variants, of the best try
    solved_in = models.PositiveIntegerField(null=True)  # tries; null: not yet

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["classroom", "student"], name="a_solver_is_counted_once")]

    def __str__(self) -> str:
        return f"{self.classroom_id} {self.held} in {self.tries}"
