"""LlamaTouch's essential states, in order.

LlamaTouch (arXiv 2404.16054, section 4.2, and its Evaluator) annotates what is essential on the
screens of one successful run, and searches any other run for screens that match. Each state matches
the first fitting screen after the previous state's: other things may be done in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen import Screen
from pytest_mobileagent.screen.element import FLAGS, Element
from pytest_mobileagent.screen.explain import collect_misses, missed
from pytest_mobileagent.screen.selector import Selector

if TYPE_CHECKING:
    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.episode import Step


THRESHOLD = 0.85  # LlamaTouch's threshold for the cosine of sentence-BERT: more similar texts match
_WORDS = ("text", "content_desc")

Similarity = Callable[[str, str], float]


class Moment(NamedTuple):
    """A screen of an episode: `episode` is the prefix up to it, `step` the step on the screen."""

    episode: Episode
    step: Step | None


# A description, and a function that returns whether the condition holds.
Condition = tuple[str, Callable[[Moment], Any]]


@dataclass(frozen=True, slots=True)
class EssentialState:
    """The essential state of a screen (see `essential`): all of its conditions have to hold."""

    conditions: Callable[[Similarity, float, str], Sequence[Condition]]
    acts: bool  # whether it has a condition on the action


@dataclass(frozen=True, slots=True)
class EssentialStates:
    """The essential states that an episode has reached; true if it reached all of them.

    - `steps`: for each state, the number of steps up to its screen, including the action on it if
      the state has a condition on the action; None for states that were not reached.
    """

    steps: tuple[int | None, ...]

    def __bool__(self) -> bool:
        return None not in self.steps

    @property
    def share(self) -> float:
        """The share of the states that were reached, from 0 to 1."""
        return sum(step is not None for step in self.steps) / len(self.steps)


def essential(
    *,
    activity: str | None = None,
    exact: Mapping[str, Any] | Element | Sequence[Mapping[str, Any] | Element] = (),
    fuzzy: str | Screen | Sequence[str | Screen] = (),
    click: Mapping[str, Any] | None = None,
    typed: str | None = None,
    installed: str | Sequence[str] = (),
    uninstalled: str | Sequence[str] = (),
    holds: Callable[[Episode], Any] | None = None,
) -> EssentialState:
    """Describe the essential state of a screen by LlamaTouch's primitives, all of which must hold.

    - `activity`: the activity shown: `com.shop/.Cart`, `com.shop/com.shop.Cart`, `.Cart` (of one of
      the task's apps) or `com.shop.Cart` (of any app, whose package may differ).
    - `exact`: elements that are present, by criteria of `Screen.find_all`; or elements of an
      annotated screen, compared by class, id, all flags and, ignoring case, texts.
    - `fuzzy`: text similar to some element's, or an annotated screen with similar texts as a whole.
    - `click`: an element, by criteria such as `xpath=`, that was tapped on this screen.
    - `typed`: text that was typed there.
    - `installed`, `uninstalled`: packages that the phone has or does not have, as read by a probe.
    - `holds`: any other predicate over the episode up to then: `lambda e: e.probe("on") == "1"`.

    Raises:
        TaskError: if there is no condition, or one is invalid.
    """
    given = [activity, exact, fuzzy, click, typed, installed, uninstalled, holds]
    if not any(value is not None and value != () for value in given):
        msg = "an essential state needs at least one condition, such as exact={'text': …}"
        raise TaskError(msg)
    elements = [_element(each) for each in _several(exact, Mapping | Element)]
    texts = _several(fuzzy, str | Screen)
    present, absent = _several(installed, str), _several(uninstalled, str)
    if click is not None:
        _several(click, Mapping)
        Selector.of(click)
    if holds is not None and not callable(holds):
        raise TaskError(f"essential(): holds={holds!r} must be a function of an episode")

    def conditions(similarity: Similarity, threshold: float, packages: str) -> list[Condition]:
        found: list[Condition] = []
        if activity is not None:
            found.append((f"activity={activity!r}", lambda m: _shows(m, activity)))
        found += elements
        found += [_similar_to(text, similarity, threshold) for text in texts]
        if click is not None:
            words = str(Selector.of(click))
            found.append((f"a click on {words}", lambda m: _did(m, "tapped", **click)))
        if typed is not None:
            found.append((f"{typed!r} typed", lambda m: _did(m, "typed", typed)))
        found += [(f"{name} installed", _has(packages, name, True)) for name in present]
        found += [(f"{name} not installed", _has(packages, name, False)) for name in absent]
        if holds is not None:
            found.append(("the condition of `holds`", lambda m: holds(m.episode)))
        return found

    return EssentialState(conditions, acts=click is not None or typed is not None)


def essential_states(
    episode: Episode,
    states: Sequence[EssentialState],
    *,
    similarity: Similarity | None = None,
    threshold: float = THRESHOLD,
    packages: str = "packages",
) -> EssentialStates:
    """Return which of some essential states (see `essential`) an episode passed through, in order.

    `similarity` returns the similarity of two texts, from 0 to 1; they match above the `threshold`.
    LlamaTouch uses the cosine of two sentence-BERT embeddings (all-MiniLM-L6-v2). By default, the
    sorted words are compared letter by letter (rapidfuzz's `token_sort_ratio`), which does not
    recognise synonyms. `packages` names the probe that reads the installed packages.

    Raises:
        TaskError: if `states` is empty or contains something else, or the task has no such probe.
    """
    if not states or not all(isinstance(state, EssentialState) for state in states):
        msg = "essential_states() takes an episode and a list of essential(…), at least one"
        raise TaskError(msg)
    moments = list(_moments(episode))
    steps: list[int | None] = []
    begin = 0
    for number, state in enumerate(states, 1):
        asked = state.conditions(similarity or _by_letters, threshold, packages)
        lacking = [_lacking(asked, moment) for moment in moments[begin:]]
        place = next((n for n, lacks in enumerate(lacking, begin) if not lacks), None)
        if place is None:
            _note(f"essential state {number} of {len(states)}", lacking, begin)
            break
        # A state with a condition on the action is reached once that action is performed.
        steps.append(episode.prefix(place + state.acts).step_count)
        begin = place + 1
    return EssentialStates((*steps, *[None] * (len(states) - len(steps))))


def _moments(episode: Episode) -> Iterator[Moment]:
    """Yield each screen that the agent saw, with the step on it."""
    for number, step in enumerate(episode.steps):
        yield Moment(episode if step.is_report else episode.prefix(number), step)
    if not episode.steps or not episode.steps[-1].is_report:
        yield Moment(episode, None)


def _lacking(conditions: Sequence[Condition], moment: Moment) -> list[str]:
    """Return descriptions of the conditions that do not hold."""
    with collect_misses():  # a screen that does not match is not a failed look-up
        return [words for words, holds in conditions if not _is_met(holds, moment)]


def _is_met(holds: Callable[[Moment], Any], moment: Moment) -> bool:
    try:
        return bool(holds(moment))
    except (AssertionError, IndexError):  # it looks for something that this screen does not have
        return False


def _note(which: str, lacking: Sequence[Sequence[str]], begin: int) -> None:
    def explain() -> str:
        if not lacking:
            return f"{which} was not reached: no screen is left"
        nearest = min(range(len(lacking)), key=lambda n: len(lacking[n]))
        lacks = ", ".join(lacking[nearest])
        when = f"after step {begin + nearest}" if begin + nearest else "at the start"
        return f"{which} was not reached\n  closest: the screen {when}, which lacks {lacks}"

    missed(explain)


def _several(given: Any, kind: Any) -> list[Any]:
    each = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    for one in each:
        if not isinstance(one, kind):
            raise TaskError(f"essential(): {one!r} cannot be of type {type(one).__name__}")
    return each


def _element(wanted: Mapping[str, Any] | Element) -> Condition:
    if isinstance(wanted, Element):
        whole = _attributes(wanted)
        return repr(wanted), lambda m: any(
            _attributes(e) == whole for e in m.episode.screen.elements
        )
    return str(Selector.of(wanted)), lambda m: m.episode.screen.find_all(**wanted)


def _attributes(element: Element) -> tuple[object, ...]:
    """Return the attributes that LlamaTouch compares, which do not include the bounds."""
    words = (getattr(element, name).lower() for name in _WORDS)
    flags = (getattr(element, name) for name in FLAGS)
    return (element.class_name, element.resource_id, *words, *flags)


def _similar_to(wanted: str | Screen, similarity: Similarity, threshold: float) -> Condition:
    if isinstance(wanted, Screen):
        whole = " ".join(wanted.texts)
        return (
            "a screen similar to the annotated one",
            lambda m: similarity(whole, " ".join(m.episode.screen.texts)) > threshold,
        )
    return (
        f"a text similar to {wanted!r}",
        lambda m: any(similarity(wanted, text) > threshold for text in m.episode.screen.texts),
    )


def _by_letters(one: str, other: str) -> float:
    from rapidfuzz import fuzz, utils  # heavy, so imported only when needed

    return float(fuzz.token_sort_ratio(one, other, processor=utils.default_process)) / 100


def _shows(moment: Moment, wanted: str) -> bool:
    """Return whether an activity of this class is shown, in this package if one is given."""
    screen = moment.episode.screen
    package, name = _component(screen.activity, screen.package)
    if not name:
        return False
    wanted_package, _, _ = wanted.strip().rpartition("/")
    if not wanted_package and not _is_in_full(wanted.strip()):
        # The meaning of a short name depends on the app: it refers to one of the task's.
        apps = moment.episode.case.task.packages
        return (package in apps or not apps) and name == _component(wanted, package)[1]
    if package and wanted_package and package != wanted_package:
        return False
    # A screen whose package was not recorded may belong to the wanted one.
    actual = _component(screen.activity, package or wanted_package)[1]
    return actual == _component(wanted, wanted_package)[1]


def _component(words: str, package: str) -> tuple[str, str]:
    """Return the package and the full class name of an activity, in any notation.

    As in Android (ComponentName.unflattenFromString, and the manifest for bare names): a class that
    begins with a dot belongs to the package before the slash, and a class with a package is a full
    name, whether or not the package is the app's. `package` applies to names without a slash.
    """
    named, _, name = words.strip().rpartition("/")
    package = named or package
    if _is_in_full(name):
        return package, name
    return package, f"{package}.{name.removeprefix('.')}" if name else ""


def _is_in_full(name: str) -> bool:
    """Return whether a class name includes its package; a bare name is a class of the app."""
    return "." in name.removeprefix(".") and not name.startswith(".")


def _did(moment: Moment, what: str, *arguments: Any, **criteria: Any) -> bool:
    if moment.step is None:
        return False
    alone = replace(moment.episode, steps=(moment.step,), screen=moment.step.screen.own)
    return bool(getattr(alone, what)(*arguments, **criteria))


def _has(probe: str, package: str, wanted: bool) -> Callable[[Moment], bool]:
    def has(moment: Moment) -> bool:
        value = moment.episode.probe(probe)
        return isinstance(value, list | tuple | dict) and (package in value) is wanted

    return has
