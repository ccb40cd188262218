"""References to models: PROVIDER:NAME[@URL], one for an agent or one for each of its roles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import did_you_mean
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_URL = re.compile(r"@(?=https?://)")
_NO_URL = re.compile(r"@([\w.-]+:\d+(?:/\S*)?)\s*$")  # model names may contain an @, too
# A comma within a URL is not followed by ROLE=PROVIDER:
_ROLE = re.compile(r",(?=\s*\w+\s*=\s*[\w-]+:)")

_MODEL = re.compile(r",(?=\s*[\w-]+:)")


@dataclass(frozen=True, slots=True)
class ModelReference:
    """One model as the user named it; `url` is the user's own endpoint, or empty.

    For a script, `name` is its file as the user wrote it, and `url` its absolute path.
    """

    provider: str
    name: str
    url: str = ""

    @property
    def id(self) -> str:
        """The model's name in records and tables: PROVIDER:NAME."""
        return f"{self.provider}:{self.name}"

    @property
    def is_script(self) -> bool:
        """Whether this is a file of replies instead of a model."""
        return self.provider == "scripted"

    def named_in(self, folder: Path) -> ModelReference:
        """Return the same model; a script gets its absolute path, resolved against the folder.

        Raises:
            ValueError: if the script's path names the home folder of an unknown user.
        """
        if not self.is_script:
            return self
        try:
            path = folder / Path(self.name).expanduser()
        except RuntimeError as error:
            raise ValueError(f"{self}: {error}") from error
        return replace(self, url=str(path.resolve()))

    def __str__(self) -> str:
        return f"{self.id}@{redact_urls(self.url)}" if self.url and not self.is_script else self.id


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The models of an agent: a default, and models for single roles."""

    default: ModelReference | None = None
    roles: Mapping[str, ModelReference] = field(default_factory=dict)

    @property
    def references(self) -> tuple[ModelReference, ...]:
        """All models, each once."""
        default = [] if self.default is None else [self.default]
        return tuple(dict.fromkeys([*default, *self.roles.values()]))

    def of(self, role: str) -> ModelReference | None:
        """Return the model of a role; None if no model was chosen for it."""
        return self.roles.get(role, self.default)

    def without(self, role: str) -> ModelChoice:
        """Return this choice without the model that was chosen for a role."""
        others = {name: each for name, each in self.roles.items() if name != role}
        return ModelChoice(self.default, others)

    def check_roles(self, agent: str, roles: Iterable[str]) -> None:
        """Check that the choice fits the roles in which an agent asks models.

        Raises:
            ValueError: if the agent has no such role, or a role has no model.
        """
        known = tuple(roles)
        for role in self.roles:
            if known and role not in known:
                hint = did_you_mean(role, known)
                msg = f"{agent} calls no model as {role!r}{hint} (its roles: {', '.join(known)})"
                raise ValueError(msg)
        if lacking := [role for role in known if self.of(role) is None]:
            msg = f"no model is given for {', '.join(lacking)}: add {lacking[0]}=PROVIDER:NAME"
            raise ValueError(msg)


def parse_reference(text: str) -> ModelReference:
    """Return the model that the text names.

    Raises:
        ValueError: if the text is not PROVIDER:NAME[@URL].
    """
    model, *urls = _URL.split(text.strip(), maxsplit=1)
    provider, _, name = model.partition(":")
    if not (re.fullmatch(r"[\w-]+", provider) and name.strip() and not name.startswith("//")):
        raise ValueError(f"{redact_urls(text)!r} must be PROVIDER:NAME, as in openai:gpt-4o")
    if not urls and provider != "scripted" and (place := _NO_URL.search(name)):
        raise ValueError(
            f"{redact_urls(text)!r}: an endpoint is a URL, as in {provider}:NAME@http://{place[1]}"
        )
    return ModelReference(provider, name.strip(), urls[0] if urls else "")


def public_name(model: str) -> str:
    """Return a model's name without its endpoint, or a script's name without its folder.

    `model` is the name in a record; a name that is not PROVIDER:NAME is returned unchanged.
    """
    try:
        named = parse_reference(model)
    except ValueError:
        return model
    return f"{named.provider}:{PurePath(named.name).name}" if named.is_script else named.id


def parse_references(text: str) -> tuple[ModelReference, ...]:
    """Return the models in a comma-separated text.

    Raises:
        ValueError: if one of them is not PROVIDER:NAME[@URL], or is named twice.
    """
    references = tuple(parse_reference(part) for part in _MODEL.split(text))
    for number, reference in enumerate(references):
        if reference in references[:number]:
            raise ValueError(f"names {reference} twice")
    return references


def parse_choice(text: str) -> ModelChoice:
    """Return the choice in a string of the form `MODEL` or `ROLE=MODEL,…`.

    Raises:
        ValueError: if a part is not a model, or a role is named twice.
    """
    default: ModelReference | None = None
    roles: dict[str, ModelReference] = {}
    for part in _ROLE.split(text):
        named = re.match(r"\s*(\w+)\s*=(?=\s*[\w-]+:)(.*)", part, re.DOTALL)
        if named is None and default is None and not roles:
            default = parse_reference(part)
        elif named is None:
            raise ValueError(f"{redact_urls(part)!r} must be ROLE=PROVIDER:NAME")
        elif named[1] in roles:
            raise ValueError(f"names the role {named[1]!r} twice")
        else:
            roles[named[1]] = parse_reference(named[2])
    return ModelChoice(default, roles)
