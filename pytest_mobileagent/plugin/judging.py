"""The judges of a run: what the options say of them, checked before a device starts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError, JudgeError
from pytest_mobileagent.plugin.options import usage_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.record import EpisodeRecord
    from pytest_mobileagent.judge.question import Question
    from pytest_mobileagent.llm.model import Model
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.plugin.context import RunContext
    from pytest_mobileagent.plugin.models import RunModels
    from pytest_mobileagent.verdict.verdict import Verdict

_NEEDED = {"off": 0, "single": 1, "cross": 2}
_MOST = 3


class RunJudges:
    """The judges that the tasks of one pytest process may ask."""

    def __init__(self, context: RunContext, models: RunModels) -> None:
        self._settings = context.settings
        self._models = models

    @property
    def mode(self) -> str:
        """How tasks are judged: off, single, cross."""
        return str(self._settings["llm-judge"].value)

    @property
    def references(self) -> tuple[ModelReference, ...]:
        """The models that judge; none if tasks are not judged."""
        setting = self._settings["mobile-judges"]
        given = (setting.value or ())[: {"off": 0, "single": 1, "cross": _MOST}[self.mode]]
        return tuple(self._models.placed(each, setting) for each in given)

    @property
    def judges_all(self) -> bool:
        """Whether tasks that have a check are judged too."""
        return bool(self._settings["mobile-judge-all"].value) and self.mode != "off"

    def check(self) -> None:
        """Check what can be known of the judges before one is asked.

        Raises:
            pytest.UsageError: there are too few or too many, or one cannot be had.
        """
        setting, mode = self._settings["mobile-judge-all"], self._settings["llm-judge"]
        # Who judges all by default may still say that this time nobody does.
        is_meant = setting.source.startswith("--") or not mode.is_given
        if setting.value and self.mode == "off" and is_meant:
            raise usage_error(setting, ": nobody judges: add --llm-judge=single or cross")
        if self.mode == "off":
            return
        given, setting = self._settings["mobile-judges"], mode
        count, needed = len(given.value or ()), _NEEDED[self.mode]
        if count < needed:
            models = "a model" if needed == 1 else "two models, and a third to settle disputes"
            raise usage_error(setting, f" asks {models}: --mobile-judges=PROVIDER:NAME,…")
        if count > _MOST:
            raise usage_error(given, f" names {count} models; two judge, and a third settles")
        self._models.check_judges(given, self.references)

    def deciding(
        self, episode: EpisodeRecord, question: Question, calls: list[ModelCall]
    ) -> Callable[[], Verdict]:
        """Return what asks the judges of an episode; what they are asked is added to `calls`.

        All modules are loaded here, in the thread that calls this: pytest rewrites the asserts in
        those of plugins, and Python 3.11 cannot parse in two threads at once (cpython#106905).

        Raises:
            JudgeError: a judge cannot be asked from here; or, later, one is down, or what it says
                stays unreadable.
            BudgetSpent: later, that the run's budget is spent.
        """
        from pytest_mobileagent.judge.coarse import reader  # asked by few
        from pytest_mobileagent.judge.panel import decide

        models = self._asked(episode, calls)
        read = reader(self._settings["mobile-ocr"].value)
        runs, retries = (
            self._settings[f"mobile-{name}"].value for name in ("judge-runs", "retries")
        )

        def work() -> Verdict:
            verdict = decide(models, question, episode, runs=runs, retries=retries, read=read)
            return with_own_models(verdict, self.references, episode)

        return work

    def comparing(
        self, episode: EpisodeRecord, said: str, expected: str, goal: str, calls: list[ModelCall]
    ) -> Callable[[], bool]:
        """Return what asks the first judge whether an answer is a paraphrase of the expected one.

        Raises:
            JudgeError, BudgetSpent: as for `deciding`.
        """
        from pytest_mobileagent.judge.paraphrase import is_paraphrase

        first = self._asked(episode, calls)[0]
        return lambda: is_paraphrase(first, goal, said, expected)

    def _asked(self, episode: EpisodeRecord, calls: list[ModelCall]) -> list[Model]:
        from pytest_mobileagent.episode.screens import FOLDER
        from pytest_mobileagent.judge.models import judge_models

        folder = episode.folder
        try:
            return list(
                judge_models(
                    self.references,
                    self._models.settings_for_judges(episode.case.epoch),
                    folder=folder,
                    pictures=None if folder is None else folder.parent.parent / FOLDER,
                    calls=calls,
                )
            )
        except (ValueError, HostError) as error:
            msg = f"a judge cannot be asked: {error}"
            raise JudgeError(msg) from error


def with_own_models(
    verdict: Verdict, judges: tuple[ModelReference, ...], episode: EpisodeRecord
) -> Verdict:
    """Point out, in the evidence, the judges that the agent has asked as its own models."""
    asked = {_bare(call.model.partition(":")[2]) for call in episode.calls}
    asked |= {_bare(call.model) for call in episode.calls}  # programs name no provider
    own = [judge.id for judge in judges if _bare(judge.name) in asked]
    if not own or "judges" not in verdict.evidence:
        return verdict
    return replace(verdict, evidence={**verdict.evidence, "own_models": own})


def _bare(name: str) -> str:
    """Return the name of a model without whose it is, as resellers put before it."""
    return name.rpartition("/")[2].lower()
