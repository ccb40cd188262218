"""Parses a command's options, and fails as toybox does."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_mobileagent.virtual.shell.commands import UsageError, number


@dataclass(slots=True)
class Options:
    """The options that were given, and the words that are none."""

    given: list[tuple[str, str]] = field(default_factory=list)  # in order, with their values
    rest: list[str] = field(default_factory=list)

    def __contains__(self, option: str) -> bool:
        return any(name == option for name, _ in self.given)

    def all(self, option: str) -> list[str]:
        """Return every value that the option was given."""
        return [value for name, value in self.given if name == option]

    def get(self, option: str, default: str = "") -> str:
        """Return the last value that the option was given."""
        return [default, *self.all(option)][-1]

    def number(self, option: str, default: int) -> int:
        """Return the last value, which must be a number; 4k is 4096."""
        return size(self.get(option)) if option in self else default


def parse(
    args: list[str],
    spec: str,
    long: dict[str, str] | None = None,
    *,
    least: int = 0,
    most: int | None = None,
    stop: bool = False,
) -> Options:
    """Parse `args`: `spec` lists the letters, with a colon after those that take a value.

    `long` says which letter a long option stands for. With `stop` the first word that is no option
    ends them; `least` and `most` say how many words there may be.
    """
    options = Options()
    words = list(args)
    while words:
        word = words.pop(0)
        if word == "--":
            options.rest += words
            break
        if word.startswith("--"):
            _long(word[2:], words, spec, long or {}, options)
        elif word.startswith("-") and word != "-":
            _letters(word[1:], words, spec, options)
        else:
            options.rest.append(word)
            if stop:
                options.rest += words
                break
    _count(len(options.rest), least, most)
    return options


def size(text: str) -> int:
    """Return the number of bytes that `text` spells: a number and perhaps a unit."""
    units = {"k": 2**10, "m": 2**20, "g": 2**30, "b": 512}
    if text[-1:].lower() in units and text[:2].lower() != "0x":
        return number(text[:-1]) * units[text[-1].lower()]
    return number(text)


def _letters(letters: str, words: list[str], spec: str, options: Options) -> None:
    while letters:
        letter, letters = letters[0], letters[1:]
        at = spec.find(letter)
        if at < 0 or letter == ":":
            raise UsageError(f"Unknown option '{letter}'")
        value = ""
        if spec[at + 1 : at + 2] == ":":
            value, letters = letters or _value(letter, words), ""
        options.given.append((letter, value))


def _long(name: str, words: list[str], spec: str, long: dict[str, str], options: Options) -> None:
    name, equals, value = name.partition("=")
    if name not in long:
        raise UsageError(f"Unknown option '--{name}'")
    letter = long[name]
    if spec[spec.find(letter) + 1 :][:1] == ":" and not equals:
        value = _value(name, words)
    options.given.append((letter, value))


def _value(option: str, words: list[str]) -> str:
    if not words:
        raise UsageError(f"Missing argument to -{option}")
    return words.pop(0)


def _count(count: int, least: int, most: int | None) -> None:
    if count < least:
        raise UsageError(f"Needs {least} argument{'s' if least > 1 else ''}")
    if most is not None and count > most:
        raise UsageError(f"Max {most} argument{'s' if most > 1 else ''}")
