from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import pytest

from pytest_mobileagent.agent import Agent, PublishedSettings, Stated
from pytest_mobileagent.agent.options import BadOptionError, as_dict, make_options, published_with

if TYPE_CHECKING:
    from decimal import Decimal


class Plain:
    history: int = 3
    scale: float = 1.5
    verbose: bool = False
    mode: Literal["fast", "careful"] = "fast"
    levels: list[int] = []  # noqa: RUF012 - as people write it
    names: tuple[str, ...] = ()
    seed: int | None = None
    price: Decimal = 3  # type: ignore[assignment]
    untyped = "text"
    _own = 1

    def method(self) -> None: ...


@dataclass(frozen=True)
class Frozen:
    model: str
    history: int = 3
    roles: list[str] = field(default_factory=list)


class Derived(Plain):
    depth: int = 1


@pytest.mark.parametrize(
    ("word", "name", "value"),
    [
        ("history=5", "history", 5),
        ("scale=2", "scale", 2.0),
        ("verbose=true", "verbose", True),
        ("verbose=No", "verbose", False),
        ("mode=careful", "mode", "careful"),
        ("levels=1,2", "levels", [1, 2]),
        ("levels=", "levels", []),
        ("names=a, b", "names", ("a", "b")),
        ("seed=7", "seed", 7),
        ("seed=none", "seed", None),
        ("price=4", "price", 4),
        ("untyped=a=b", "untyped", "a=b"),
    ],
)
def test_option_is_converted_to_its_type(word, name, value):
    made = getattr(make_options("Mine", Plain, [word]), name)
    assert (made, type(made)) == (value, type(value))


def test_without_arguments_options_have_their_defaults():
    assert as_dict(make_options("Mine", Plain, [])) == {
        "history": 3,
        "scale": 1.5,
        "verbose": False,
        "mode": "fast",
        "levels": [],
        "names": (),
        "seed": None,
        "price": 3,
        "untyped": "text",
    }
    assert as_dict(make_options("Mine", object, [])) == {}
    assert as_dict(make_options("Mine", Derived, ["depth=2"]))["depth"] == 2


def test_last_value_of_an_option_wins():
    assert make_options("Mine", Plain, ["history=4", "history=5"]).history == 5


def test_options_may_be_a_frozen_dataclass():
    options = make_options("Mine", Frozen, ["model=gpt", "roles=a,b"])
    assert options == Frozen("gpt", 3, ["a", "b"])


class Picky:
    history: int = 3

    def __setattr__(self, name: str, value: Any) -> None:
        msg = f"{name} is fixed"
        raise RuntimeError(msg)


@pytest.mark.parametrize(
    ("declared", "word", "complaint"),
    [
        (Plain, "hystory=5", r"Mine has no option 'hystory'; did you mean history \(int, 3\)\?"),
        (Plain, "zzz=5", r"its options are history \(int, 3\), scale \(float, 1\.5\)"),
        (Plain, "_own=5", "Mine has no option '_own'"),
        (Plain, "history", "history: must be KEY=VALUE"),
        (Plain, "history=many", "history of Mine is int, not 'many'"),
        (Plain, "verbose=maybe", "verbose of Mine is bool, not 'maybe'"),
        (Plain, "mode=slow", r"mode of Mine is fast \| careful, not 'slow'"),
        (Plain, "levels=1,b", r"levels of Mine is list\[int\], not '1,b'"),
        (Plain, "seed=x", r"seed of Mine is int \| none, not 'x'"),
        (object, "history=5", "Mine declares no options"),
        (Frozen, "history=5", r"model=…: Mine requires this option \(str\), which has no default"),
        (Frozen, "modle=5", r"did you mean model \(str, required\)\?"),
        (Picky, "history=5", "history=5: Mine rejects this: RuntimeError: history is fixed"),
    ],
)
def test_an_unknown_option_is_reported_with_the_known_ones(declared, word, complaint):
    with pytest.raises(BadOptionError, match=complaint):
        make_options("Mine", declared, [word])


class Preset:
    history: int = 3
    scale: float = 1.5
    levels: tuple[int, ...] = ()
    verbose: bool = True
    limit: int | None = 9

    PRESETS: ClassVar[Any] = {
        "spa-bench": {"history": 0, "verbose": False, "limit": None},
        "mobileagentbench": {"levels": (1, 2), "scale": 2.0},
    }


def test_preset_sets_the_options_of_a_paper():
    assert as_dict(make_options("Mine", Preset, ["preset=spa-bench"])) == {
        "history": 0,
        "scale": 1.5,
        "levels": (),
        "verbose": False,
        "limit": None,
    }
    assert make_options("Mine", Preset, ["preset=mobileagentbench"]).levels == (1, 2)


@pytest.mark.parametrize(
    "words", [["preset=spa-bench", "history=7"], ["history=7", "preset=spa-bench"]]
)
def test_explicit_options_take_precedence_over_a_preset(words):
    options = make_options("Mine", Preset, words)
    assert (options.history, options.verbose) == (7, False)


def test_only_the_last_preset_applies():
    options = make_options("Mine", Preset, ["preset=spa-bench", "preset=mobileagentbench"])
    assert (options.history, options.scale) == (3, 2.0)


@pytest.mark.parametrize(
    ("declared", "complaint"),
    [
        (Preset, r"preset=a3: Mine has no such preset \(available: spa-bench, mobileagentbench\)"),
        (Plain, r"preset=a3: Mine has no such preset \(available: none\)"),
        (object, r"preset=a3: Mine has no such preset \(available: none\)"),
    ],
)
def test_an_unknown_preset_is_reported_with_the_known_ones(declared, complaint):
    with pytest.raises(BadOptionError, match=complaint):
        make_options("Mine", declared, ["preset=a3"])


class OwnPreset:
    preset: str = "none"


def test_agent_may_have_its_own_preset_option():
    assert make_options("Mine", OwnPreset, ["preset=a3"]).preset == "a3"


def test_presets_of_frozen_and_derived_classes_are_found():
    @dataclass(frozen=True)
    class Chosen:
        history: int = 3
        PRESETS: ClassVar[Any] = {"paper": {"history": 9}}

    class Derived(Preset):
        depth: int = 1

    assert make_options("Mine", Chosen, ["preset=paper"]) == Chosen(9)
    assert make_options("Mine", Derived, ["preset=spa-bench", "depth=2"]).history == 0


def test_preset_value_may_contain_a_comma():
    class Words:
        names: tuple[str, ...] = ()
        PRESETS: ClassVar[Any] = {"paper": {"names": ("a", "b c")}}

    assert make_options("Mine", Words, ["preset=paper"]).names == ("a", "b c")


@pytest.mark.parametrize(
    ("word", "hint"),
    [("zzz=5", "its options are history .*, preset"), ("presets=a3", r"did you mean preset")],
)
def test_presets_are_listed_with_the_options(word, hint):
    with pytest.raises(BadOptionError, match=rf"{hint} \(spa-bench \| mobileagentbench\)"):
        make_options("Mine", Preset, [word])


class Published(Agent):
    """An agent with a preset whose published settings it declares, and one without them."""

    published: ClassVar = {"paper": PublishedSettings(steps=Stated(30, "section 4"))}

    class Options:
        history: int = 3

        PRESETS: ClassVar = {"paper": {"history": 5}, "other": {}}


def test_a_preset_has_the_settings_of_its_paper():
    found = published_with(Published, ["preset=paper", "history=7"])
    assert found is not None
    assert (found["preset"], found["options"]) == ("paper", {"history": 5})
    stated = {name: each for name, each in found["settings"].items() if each is not None}
    assert stated == {"steps": {"value": 30, "source": "section 4"}}


@pytest.mark.parametrize("words", [[], ["history=7"], ["preset=other"]])
def test_without_such_a_preset_there_are_none(words):
    assert published_with(Published, words) is None
    assert published_with(object, words) is None
