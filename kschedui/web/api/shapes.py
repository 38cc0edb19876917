"""Requests and responses of the API, as its document describes them.

Unknown fields are rejected, so that a misspelled option is not silently ignored.
"""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from ninja import Schema
from pydantic import ConfigDict, Field, StringConstraints, model_validator

from kschedui.scenarios.courses import MAX_SCENARIOS
from kschedui.scenarios.prose import LONGEST_TITLE

ID = r"^[0-9A-Za-z]{1,32}$"
PublicId = Annotated[str, StringConstraints(pattern=ID)]
Number = Annotated[int, Field(strict=True, ge=1, le=999_999_999)]
Visibility = Literal["private", "unlisted", "public"]
State = Literal["queued", "running", "done", "failed", "cancelled"]
Text = Annotated[str, Field(min_length=1, description="YAML documents, as `kubectl get -o yaml` prints them.")]
Title = Annotated[str, Field(max_length=LONGEST_TITLE, description='"": the title in the text.')]


class In(Schema):
    """The body of a request."""

    model_config = ConfigDict(extra="forbid")


class Problem(Schema):
    """A refusal (RFC 9457). `errors` are set for `invalid_scenario` and `invalid_request`."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[dict[str, Any]] = []
    version: int | None = None


class TextIn(In):
    text: Text


class CheckedText(TextIn):
    """A text to check; the rules in it are evaluated for `pod`."""

    pod: str = Field("", max_length=320)


class SavedText(In):
    """A text to save: `text` itself, or `upload`, a large import that is already parsed."""

    text: Text = ""
    upload: PublicId | None = Field(None, description="Of a large import, whose text it is; it is not read again.")

    @model_validator(mode="after")
    def has_one(self) -> Self:
        """Require exactly one of `text` and `upload`."""
        if bool(self.text) == bool(self.upload):
            raise ValueError("exactly one of `text` and `upload` is expected")
        return self


class ScenarioIn(SavedText):
    title: Title = ""
    visibility: Visibility | None = Field(
        None, description="When absent or null: unlisted, and private for what a cluster printed."
    )
    fork_of: PublicId | None = Field(None, description="The scenario that this one began as.")


class VersionIn(SavedText):
    base: Number | None = Field(None, description="The version that was changed; refused when there is a newer one.")


class SettingsIn(In):
    title: Title | None = None
    visibility: Visibility | None = None


class ShareIn(In):
    """A share: either `account` or `group`."""

    account: str = Field("", max_length=150)
    group: str = Field("", max_length=150)
    may_edit: bool = Field(False, strict=True)


class ShareOut(Schema):
    id: int
    account: str
    group: str
    may_edit: bool


class Saved(Schema):
    """A saved version, and its run."""

    id: str
    version: int
    url: str
    run: str


class Kept(Saved):
    """A stored fork."""

    step: int = Field(description="Where the fork's run shows what it was made for.")


class ScenarioOut(Schema):
    id: str
    title: str
    visibility: Visibility
    version: int = Field(description="The newest.")
    url: str
    nodes: int
    pods: int
    updated: datetime
    deleted: bool
    mine: bool
    may_edit: bool


class ScenarioPage(Schema):
    items: list[ScenarioOut]
    next: str | None = Field(description="Give it as `after` for the next page; null on the last.")


class VersionOut(Schema):
    number: int
    created: datetime
    url: str
    run: str | None = Field(description="Whose trace the version's links show.")
    engine: str


class VersionText(VersionOut):
    text: str


class TeacherWords(Schema):
    """A caption at an event of an attempt."""

    attempt: int
    event: str
    text: str
    about: str = Field(description="The pod, node, workload, node group or plugin, if the event is about several.")


class QuestionOut(TeacherWords):
    """A question that is asked before an event. The answer is in the trace."""

    kind: Literal["node", "pod", "number", "choice"]
    frame: int | None
    yes_or_no: bool


class Words(Schema):
    """The lesson's description as plain text, `look_at`, captions and questions, in your language."""

    description: str
    look_at: str
    captions: list[TeacherWords]
    questions: list[QuestionOut]


class NoteIn(In):
    text: str = Field(description='"": none any more.')


class NoteOut(Schema):
    step: int
    text: str


class RunScenario(Schema):
    id: str
    version: int
    title: str


class Ahead(Schema):
    """The wait of a queued run: runs before it, and estimated seconds (null: not known yet)."""

    runs: int
    seconds: int | None


class RunOut(Schema):
    """A run.

    `time` is the simulated time in seconds. `outcome` is set when the run is done, `ahead` while it is queued.
    """

    id: str
    state: State
    steps: int
    chunks: int
    time: float
    error: str
    engine: str
    outcome: dict[str, Any]
    ahead: Ahead | None
    scenario: RunScenario


class RunName(Schema):
    run: str


class Cancelled(Schema):
    cancelled: bool


class Imported(Schema):
    text: str
    notes: list[str]
    checked: dict[str, Any] = Field(description="What `POST /check` says of the text.")
    upload: PublicId | None = Field(
        None, description="For a large dump: send it instead of the text to save the scenario; kept for a day."
    )


class WorkAhead(Schema):
    """The work that comes before a request, and the estimated seconds until its turn."""

    others: int
    seconds: int


class Waiting(Schema):
    """A request with `Prefer: wait` that waits for its turn. Nothing was changed."""

    ahead: WorkAhead


class UploadAhead(Schema):
    others: int = Field(description="Requests before this one.")


class UploadOut(Schema):
    """A large request, which a worker answers."""

    id: PublicId
    url: str
    state: State
    ahead: UploadAhead | None = Field(description="While it is queued.")
    progress: float = Field(description="From 0 to 1, as far as it is known.")
    answer: str | None = Field(description="Where the answer is, once the state is done; kept for a day.")
    error: str = Field(description="Why there is no answer, when the state is failed.")


class Row(Schema):
    mark: Literal["+", "-", " ", "@"]
    old: int | None
    new: int | None
    text: str


class Compared(Schema):
    """A comparison: `text` is the stored one; `rows` lead from it to the other one, null if that takes too long."""

    text: str
    rows: list[Row] | None


class Yaml(Schema):
    yaml: str


class Lesson(Schema):
    slug: str
    title: str
    description: str
    topics: list[str]
    level: str
    scenario: str
    url: str


Entries = Annotated[
    list[Annotated[str, Field(max_length=500)]],
    Field(min_length=1, max_length=MAX_SCENARIOS, description="Ids or links, in order."),
]


class CourseIn(In):
    title: str = Field(max_length=LONGEST_TITLE)
    about: str = Field("", max_length=4000)
    scenarios: Entries


class CourseChange(In):
    title: str | None = Field(None, max_length=LONGEST_TITLE)
    about: str | None = Field(None, max_length=4000)
    scenarios: Entries | None = None


class CourseEntry(Schema):
    id: str
    title: str


class CourseOut(Schema):
    id: str
    url: str
    title: str
    about: str
    scenarios: list[CourseEntry | None] = Field(description="Null: you may not see that one.")
    updated: datetime
    mine: bool


class Plugin(Schema):
    name: str
    points: list[str] = Field(description="The extension points that it stands at.")
    about: str
    url: str


class Me(Schema):
    """The current user. `account` is null for a visitor without one."""

    account: str | None
    scopes: list[str]


class ClassAnswerIn(TextIn):
    """An answer in a class; the teacher sees `name`, which is optional."""

    name: str = Field("", max_length=40)


class JudgedVariant(Schema):
    """A variant. `held` of `seeds` runs met the requirements. `title` "": not known yet, or the scenario itself (1)."""

    number: int
    title: str
    holds: bool
    held: int
    seeds: int


class FailedVariant(Schema):
    """The first failing variant: the unmet requirements, the seed, and a text that can be run."""

    number: int
    seed: int | None
    unmet: list[str]
    text: str


class Judged(Schema):
    solved: bool
    held: int = Field(description="How many variants hold.")
    variants: list[JudgedVariant]
    first: FailedVariant | None


class SolverOut(Schema):
    """A student's tries; `solved_in` is the number that was needed, null if it is not solved."""

    name: str
    tries: int
    held: int
    solved_in: int | None


class Solvers(Schema):
    variants: int
    students: list[SolverOut]
