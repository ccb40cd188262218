"""The question that judges answer about an episode, and the evidence that they see."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.jsonable import to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

Actions = Literal["text", "image", "none"]
Evidence = Literal["screens", "xml"]
ACTIONS = ("text", "image", "none")
EVIDENCE = ("screens", "xml")


@dataclass(frozen=True, slots=True)
class Subtask:
    """A part of a cross-app task, done in one app (SPA-Bench, arXiv 2410.15164, appendix E.1).

    - `app`: the package in which it is done, or several alternatives separated by |; `task`: a
      description of what to do there.
    - `history`: whether it depends on the notes about an earlier subtask.
    - `memory`: a description of what a judge must note about this subtask for later ones; empty for
      nothing.

    Raises:
        TaskError: if a field is invalid.
    """

    app: str
    task: str
    history: bool = False
    memory: str = ""

    def __post_init__(self) -> None:
        for name in ("app", "task", "memory"):
            value = getattr(self, name)
            if not isinstance(value, str) or not (value.strip() or name == "memory"):
                raise TaskError(f"subtask: {name}={value!r} must be a string")
        if not isinstance(self.history, bool):
            raise TaskError(f"subtask: history={self.history!r} must be True or False")


@dataclass(frozen=True, slots=True)
class Question:
    """The question to judges about an episode, other than its goal, and the evidence that they see.

    - `key_components`: texts that the final screen of a success shows. Unless one screenshot shows
      all of them, the task failed, and no model is asked (SPA-Bench, section 5.2 and appendix D.1).
    - `rubric`: statements that must be true, each judged by itself; a statement that begins with
      "not " or "must not " must be false.
    - `subtasks`: the parts of a cross-app task, judged in order (SPA-Bench, appendix E).
    - `actions`: how judges see the agent's actions: as `text`, drawn into the `image`, or not at
      all (`none`). None means the best way for the task's language according to SPA-Bench's Table
      9, and `none` with view hierarchies.
    - `evidence`: `screens` for screenshots, `xml` for view hierarchies (A3, arXiv 2501.01149,
      section 3.4.2).
    - `reason`: whether judges give a reason before the result; None means the best choice for the
      language.
    - `window`: the maximum number of screenshots in a request, at least 2. Each request begins with
      the last screenshot of the previous one (A3, section 3.4.2: 4). None for as many as models
      accept.
    - `wall`: whether judges may report that a log-in page or a CAPTCHA kept the agent from the
      goal; such a wall is then tried (docs/walls.md).

    Raises:
        TaskError: if a field is invalid.
    """

    key_components: tuple[str, ...] = ()
    rubric: tuple[str, ...] = ()
    subtasks: tuple[Subtask, ...] = ()
    actions: Actions | None = None
    evidence: Evidence = "screens"
    reason: bool | None = None
    window: int | None = None
    wall: bool = False

    def __post_init__(self) -> None:
        for name in ("key_components", "rubric"):
            texts = getattr(self, name)
            whole = isinstance(texts, tuple) and all(
                isinstance(t, str) and t.strip() for t in texts
            )
            if not whole:
                raise TaskError(f"judge: {name}={texts!r} must be a list of texts")
        if not isinstance(self.subtasks, tuple) or not all(
            isinstance(each, Subtask) for each in self.subtasks
        ):
            raise TaskError(f"judge: subtasks={self.subtasks!r} must be a list of subtask(…)")
        if self.actions is not None and self.actions not in ACTIONS:
            raise TaskError(f"judge: actions={self.actions!r} is not one of {', '.join(ACTIONS)}")
        if self.evidence not in EVIDENCE:
            msg = f"judge: evidence={self.evidence!r} is not one of {', '.join(EVIDENCE)}"
            raise TaskError(msg)
        for name, value in (("reason", self.reason), ("wall", self.wall)):
            if not isinstance(value, bool) and (name, value) != ("reason", None):
                raise TaskError(f"judge: {name}={value!r} must be True or False")
        if self.window is not None and (type(self.window) is not int or self.window < 2):
            msg = f"judge: window={self.window!r} must be a number of screenshots, at least 2"
            raise TaskError(msg)
        if self.rubric and self.subtasks:
            raise TaskError("judge: a task has either a rubric or subtasks")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Question:
        """Return the question with the given fields; lists become tuples.

        Raises:
            TaskError: if an argument is unknown or invalid.
        """
        known = cls.__dataclass_fields__
        if unknown := [name for name in given if name not in known]:
            msg = f"judge() has no argument {unknown[0]!r} (available: {', '.join(known)})"
            raise TaskError(msg)
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
        }
        return cls(**fields)

    def to_json(self) -> dict[str, Any]:
        """Return the question as JSON-able data for `from_json`, without default values."""
        given = dict(to_wire(asdict(self)))
        return {name: value for name, value in given.items() if value != _BY_DEFAULT[name]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Question:
        """Return the question from data that `to_json` has returned.

        Raises:
            TaskError, TypeError: if the data is not a question, or is from another version.
        """
        subtasks = tuple(Subtask(**each) for each in data.get("subtasks", ()))
        return cls.of({**data, "subtasks": subtasks})

    def for_language(self, language: str) -> Question:
        """Return the question with open settings filled in by the best mode in SPA-Bench's Table 9.

        English: actions in the image, and the result only. Chinese: actions as text, and a reason
        first. With view hierarchies, judges do not see the actions, as in A3.
        """
        chinese = language.partition("-")[0].lower() == "zh"
        best: Actions = "text" if chinese else "image"
        actions: Actions = self.actions or ("none" if self.evidence == "xml" else best)
        reason = chinese if self.reason is None else self.reason
        return replace(self, actions=actions, reason=reason)


_BY_DEFAULT: dict[str, Any] = dict(to_wire(asdict(Question())))


def subtask(app: str, task: str, *, history: bool = False, memory: str = "") -> Subtask:
    """Describe a part of a cross-app task for a judge (see `Subtask`)."""
    return Subtask(app, task, history, memory)
