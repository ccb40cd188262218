"""The models of a run, as the options choose them, checked before any device starts."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.options import RECORDED
from pytest_mobileagent.plugin.settings import as_usage_error, usage_error

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.llm.budget import Budget, Ledger
    from pytest_mobileagent.llm.metered import EpisodeModels
    from pytest_mobileagent.llm.prices import Prices
    from pytest_mobileagent.llm.reference import ModelChoice, ModelReference
    from pytest_mobileagent.llm.scripted import ScriptedModel
    from pytest_mobileagent.plugin.context import RunContext
    from pytest_mobileagent.plugin.settings import OptionValue

LEDGER = "spent.jsonl"  # in the run's folder
USER = "user"  # the role of the model that plays the user, whichever roles the agent has
_AGENTS_TOO = {"all", "replay"}  # the values of --mobile-cache that concern agents' replies
_NOT_FOR_PROGRAMS = (
    ": a program chooses its models itself, and so does an agent's own SDK. scripted:FILE "
    "answers in their place, and PROVIDER:NAME@URL sends their calls to your own endpoint"
)


class RunModels:
    """The models that the agents and judges of one pytest process may ask."""

    def __init__(self, context: RunContext) -> None:
        self._run = context
        self._config, self._settings = context.config, context.settings

    @cached_property
    def choice(self) -> ModelChoice:
        """The model of each role; empty if no model was chosen."""
        from pytest_mobileagent.llm.reference import ModelChoice

        setting = self._settings["mobile-model"]
        if setting.value is None:
            return ModelChoice()
        given: ModelChoice = setting.value
        roles = {role: self.placed(each, setting) for role, each in given.roles.items()}
        return ModelChoice(given.default and self.placed(given.default, setting), roles)

    def placed(self, reference: ModelReference, setting: OptionValue) -> ModelReference:
        """Return a reference; if it names a script, with an absolute path."""
        if not reference.is_script:
            return reference
        file = dataclasses.replace(setting, value=reference.name)
        return dataclasses.replace(reference, url=str(self._run.path_of(file).resolve()))

    @property
    def asks_no_agents(self) -> bool:
        """Whether agents only get cached or recorded replies, so no key is needed."""
        return self._settings["mobile-cache"].value == "replay" or self._run.earlier.gives_replies

    def to_prepare(self) -> tuple[ModelReference, ...]:
        """Return the models that agents may ask, whose libraries are imported in advance."""
        return () if self.asks_no_agents else self.choice.references

    @cached_property
    def prices(self) -> Prices:
        """The prices of models: the user's own prices, then those of the built-in table.

        Raises:
            pytest.UsageError: if the file of the user's own prices cannot be read.
        """
        from pytest_mobileagent.llm.prices import Prices, load_prices

        setting = self._settings["mobile-prices"]
        if setting.value is None:
            return Prices()
        with as_usage_error(ValueError, setting):
            return load_prices(self._run.path_of(setting))

    @property
    def budget(self) -> Budget:
        """The limits on what the run and its episodes may spend."""
        from pytest_mobileagent.llm.budget import Budget, Limit

        cost, tokens = (self._settings[f"mobile-max-{what}"].value for what in ("cost", "tokens"))
        return Budget(cost or Limit(), tokens or Limit())

    def of(self, case: Case) -> EpisodeModels:
        """Return the models that an agent may ask in a case."""
        from pytest_mobileagent.episode.exchanges import STREAM

        return self._models_of(self.choice, case.epoch, self._recorded(case, STREAM))

    def of_user(self, case: Case) -> EpisodeModels:
        """Return the model that plays the user in a case.

        It is limited and cached like judges, as its replies are not part of what is measured.
        """
        from pytest_mobileagent.run.user import STREAM

        return self._models_of(self.choice, case.epoch, self._recorded(case, STREAM), beside=True)

    def of_judges(self, episode: EpisodeRecord) -> EpisodeModels:
        """Return the models that judge an episode; only the run's limit counts their costs."""
        from pytest_mobileagent.judge.ask import STREAM
        from pytest_mobileagent.llm.reference import ModelChoice

        recorded = None
        if self._settings["mobile-cache"].value == RECORDED and episode.folder is not None:
            recorded = episode.folder / STREAM
        models = self._models_of(ModelChoice(), episode.case.epoch, recorded, beside=True)
        return dataclasses.replace(models, compares=True)

    def _models_of(
        self, choice: ModelChoice, epoch: int, recorded: Path | None = None, *, beside: bool = False
    ) -> EpisodeModels:
        """Return an agent's models, or those `beside` it."""
        from pytest_mobileagent.llm.budget import Budget, Limit
        from pytest_mobileagent.llm.metered import EpisodeModels

        budget = self.budget
        if beside:
            budget = Budget(Limit(budget.cost.run), Limit(budget.tokens.run))
        return EpisodeModels(
            choice,
            self.prices,
            budget,
            self._run.folder.path / LEDGER,
            self._cache(epoch, ("judges", *_AGENTS_TOO) if beside else _AGENTS_TOO),
            recorded,
            self._ledger_server,
        )

    def _recorded(self, case: Case, stream: str) -> Path | None:
        """Return a file of the episode whose recorded replies a case gets; None if it gets none.

        The episode is copied to this machine if needed.
        """
        earlier, relay = self._run.earlier, self._run.relay
        episode = earlier.plan_for(case).replies
        if episode is None:
            return None
        if relay is not None and earlier.path is not None and episode != earlier.path:
            relay.bring(episode.relative_to(earlier.path).as_posix(), earlier.path)
        return episode / stream

    def _cache(self, epoch: int, modes: Collection[str]) -> Any:
        """Return the cache of replies if it is used in one of these modes; None if it is not."""
        from pytest_mobileagent.llm.known_replies import ReplyCache

        mode, cache = self._settings["mobile-cache"].value, getattr(self._config, "cache", None)
        if mode not in modes or cache is None:
            return None
        try:
            folder = Path(str(cache.mkdir("mobileagent-replies")))
        except OSError as error:
            if mode != "replay":
                return None
            raise HostError(f"no replies can be read from pytest's cache: {error}") from error
        return ReplyCache(folder, epoch, only_replays=mode == "replay")

    def check(self, agent: str, roles: Sequence[str], endpoints: Sequence[str] = ()) -> None:
        """Check the models of an agent before any of them is asked.

        `endpoints` are the providers that the agent asks through its own SDKs.

        Raises:
            pytest.UsageError: if an agent that asks models has none, or one cannot be used.
        """
        setting = self._settings["mobile-model"]
        if endpoints:
            self._check_endpoints(agent, endpoints, alone=not roles)
        if self._settings["mobile-prices"].value is not None:
            self.prices  # report an unreadable file now
        if setting.value is None:
            if roles:
                raise pytest.UsageError(printable(self._none_given(agent)))
            return
        if not (roles or setting.is_typed):  # meant for the project's other agents
            return
        self._check_cache()
        with as_usage_error(ValueError, setting):
            self.choice.without(USER).check_roles(agent, roles)
        if not self._run.earlier.gives_replies:
            references = self.choice.references
            self._check_references(setting, references, named=len(references) > 1)

    def check_user(self, task: str) -> None:
        """Check the model that plays the user of a task.

        Raises:
            pytest.UsageError: if there is no such model, or it cannot be used.
        """
        setting, reference = self._settings["mobile-model"], self.choice.of(USER)
        if reference is None:
            msg = (
                f"the user of {task} is played by a model: give --mobile-model={USER}=PROVIDER:NAME"
                ", or --mobile-user=silent for a user who does not answer"
            )
            raise pytest.UsageError(printable(msg))
        if not self._run.earlier.gives_replies:
            self._check_references(setting, [reference])

    def _check_endpoints(self, agent: str, names: Sequence[str], *, alone: bool) -> None:
        """Check the providers that an agent asks through its own SDKs, or what answers for them.

        With `alone`, the agent asks models only in this way, so no other model can be chosen.
        """
        from pytest_mobileagent.program.model_routes import check_route, route_of, routes

        if alone:
            self.check_for_program()
        self._check_cache()
        for name in names:
            try:
                route_of(name, routes(every=True))
                if self.for_program is None and not self.asks_no_agents:
                    check_route(name)
            except (HostError, ValueError) as error:
                msg = f"{agent} asks {name} through its own SDK: {error}. No device was started."
                raise pytest.UsageError(printable(msg)) from None

    def check_judges(self, setting: OptionValue, judges: Sequence[ModelReference]) -> None:
        """Check the judge models, which `setting` names.

        Raises:
            pytest.UsageError: if one of them cannot be used.
        """
        if self._settings["mobile-cache"].value != RECORDED:
            self._check_cache()
            self._check_references(setting, judges)

    @property
    def for_program(self) -> ModelReference | None:
        """The model that answers in place of those that a program or an agent's own SDK asks.

        It is a script, or a model at the user's own endpoint; None for any other model, which is
        meant for agents that ask the models that they are given.
        """
        model = self.choice.default
        return model if model is not None and (model.url or model.provider == "scripted") else None

    def answering(self, case: Case) -> ModelReference | ScriptedModel | None:
        """Return what answers in place of the models of a program or an agent's own SDK in a case.

        Raises:
            HostError: if recorded replies cannot be read.
        """
        from pytest_mobileagent.episode.exchanges import STREAM

        recorded = self._recorded(case, STREAM)
        if recorded is None:
            return self.for_program
        from pytest_mobileagent.llm.known_replies import script_of
        from pytest_mobileagent.llm.scripted import ScriptedModel

        return ScriptedModel(script_of(recorded), model="recorded")

    def check_for_program(self) -> None:
        """Check the model that answers in place of a program's models.

        Raises:
            pytest.UsageError: if it cannot be used, or cannot be given to a program.
        """
        setting = self._settings["mobile-model"]
        if self._settings["mobile-prices"].value is not None:
            self.prices  # report an unreadable file now
        if setting.value is None or not (setting.is_typed or self.for_program):
            return
        model = self.for_program
        others = self.choice.without(USER)
        if others.references and (model is None or others.roles):
            raise usage_error(setting, _NOT_FOR_PROGRAMS)
        if model is None or self._run.earlier.gives_replies:
            return
        from pytest_mobileagent.llm.providers import check_endpoint, make_client

        with as_usage_error(ValueError, setting):
            make_client(model) if model.provider == "scripted" else check_endpoint(model)

    def _check_cache(self) -> None:
        """Check that pytest's cache is available if agents' replies should be cached."""
        setting = self._settings["mobile-cache"]
        if setting.value in _AGENTS_TOO and getattr(self._config, "cache", None) is None:
            why = ": replies are stored in pytest's cache, which -p no:cacheprovider disables"
            raise usage_error(setting, why)

    def _none_given(self, agent: str) -> str:
        script = Path("fixtures", "replies", f"{Path(agent).stem}.jsonl")
        found = any((base / script).is_file() for base in (Path(), self._config.rootpath))
        file = script.as_posix() if found else "FILE"
        return (
            f"{agent} asks a model: --mobile-model=PROVIDER:NAME. "
            f"Without a key: --mobile-model=scripted:{file}"
        )

    def _check_references(
        self, setting: OptionValue, references: Sequence[ModelReference], *, named: bool = True
    ) -> None:
        """Check that models can be asked; an error says which one cannot, if it is `named`."""
        from pytest_mobileagent.llm.models import check_reference

        if not all(model.is_script for model in references):
            with as_usage_error(HostError):
                check_extra("models", f"{setting.option.flag}={setting.text}: asking models")
        for reference in references:
            with as_usage_error(ValueError, setting, f" {reference}:" if named else ""):
                check_reference(
                    reference,
                    self.prices,
                    unpriced=self._settings["mobile-unpriced"].value != "stop",
                    limited=self._settings["mobile-max-cost"].value is not None,
                    replays=self._settings["mobile-cache"].value == "replay",
                    remark="No device was started.",
                )

    def about(self) -> dict[str, Any]:
        """Return the entries on models for run.json: each role's model, and the price table."""
        chosen = self.choice
        if not chosen.references:
            return {"models": {}, "price_table": None}
        roles = {role: str(reference) for role, reference in chosen.roles.items()}
        default = {} if chosen.default is None else {"default": str(chosen.default)}
        return {"models": default | roles, "price_table": self.prices.table or None}

    def ledger(self) -> Ledger:
        """Return the ledger of what the run has spent."""
        from pytest_mobileagent.llm.budget import Ledger

        return Ledger(self._run.folder.path / LEDGER, self._ledger_server)

    @property
    def _ledger_server(self) -> Path | None:
        """The socket to ask what other machines have spent, if the run's budget spans machines."""
        relay = self._run.relay
        return relay.ledger_server if relay is not None and self.budget.limits_run else None

    def spent(self) -> str:
        """Return a message about a run's budget that is spent; empty if none is.

        Raises:
            HostError: if it cannot be found out what the run has spent.
        """
        from pytest_mobileagent.llm.budget import run_over

        budget = self.budget
        return run_over(budget, self.ledger().spent()) if budget.limits_run else ""
