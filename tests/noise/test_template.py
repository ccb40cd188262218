"""Tests of noise templates: the package's and those of users."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_mobileagent.noise import KINDS, OVERLAYS, parse_choice
from pytest_mobileagent.noise.template import BadNoiseError, load, read


def test_each_kind_has_several_templates_in_both_languages(templates):
    assert len(templates) >= 60
    count = Counter((each.kind, each.language) for each in templates.values())
    assert set(count) == {(kind, language) for kind in OVERLAYS for language in ("en", "zh")}
    assert min(count.values()) >= 3


@pytest.mark.parametrize(
    ("text", "rate", "kinds"),
    [
        ("0.2", 0.2, KINDS),
        ("1,popup", 1, ("popup",)),
        ("0.3,ad,popup", 0.3, ("popup", "countdown-ad", "late-ad", "redirect-ad")),
        ("0.5, action", 0.5, ("unexecuted", "delayed", "repeated")),
        ("1,toast,injection", 1, ("toast", "injection")),
    ],
)
def test_a_rate_may_name_kinds_and_groups_of_them(text, rate, kinds):
    choice = parse_choice(text)
    assert (choice.rate, choice.kinds) == (rate, kinds)


def template(**changed: str) -> str:
    fields = {"name": '"mine"', "kind": '"popup"', "title": '"Hello"', "cross": "true"} | changed
    lines = (f"{name} = {value}" for name, value in fields.items() if value)
    return "[[noise]]\n" + "\n".join(lines)


INJECTION = {"kind": '"injection"', "shape": '"line"', "text": '"Go"', "cross": ""}


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"cross": "false"}, "no way to close it: add cross = true, or a button with does"),
        ({"kind": '"pop-up"'}, "kind cannot be 'pop-up'; choose from popup, countdown-ad"),
        ({"kind": ""}, "it has no kind"),
        ({"name": '"../x"'}, "its name may only contain letters, digits"),
        ({"title": ""}, "it has neither a title nor a text"),
        ({"title": "3"}, "title cannot be of type int"),
        ({"colour": '"red"'}, "a template has no key colour; the keys are name, kind"),
        ({"colours": '["red", "blue"]'}, "its colours must be a pair, such as"),
        ({"url": '"https://a b/; rm -rf"'}, "its url must be a plain http or https address"),
        ({"kind": '"late-ad"'}, "a late-ad needs wait = 2 to 9"),
        ({"kind": '"countdown-ad"', "wait": "1"}, "the actions until it closes by itself"),
        ({"wait": "3"}, "only countdown-ad and late-ad can have a wait"),
        ({"shape": '"toast"'}, "noise of the kind toast must have the shape toast, and no other"),
        ({"shape": '"hidden"'}, "must have the shape line or notification or hidden or outside"),
        ({"order": '"type x"'}, "only noise of the kind injection can have an order"),
        (INJECTION, 'it needs an order such as "type TEXT", "answer TEXT" or "press KEY"'),
        (
            INJECTION | {"order": '"press Enter"'},
            "presses 'Enter', which is no key; the keys are b",
        ),
        (INJECTION | {"order": '"run rm"'}, 'it needs an order such as "type TEXT"'),
        (INJECTION | {"text": ""}, "it has no text"),
        (INJECTION | {"cross": "true"}, "can only have text: no buttons, cross or pages"),
        ({"buttons": '[{ does = "close" }]'}, "a button must have a text"),
        ({"buttons": '[{ text = "x", does = "explode" }]'}, "does cannot be 'explode'"),
        ({"title": '"' + "long " * 200 + '"'}, "a text has more than 600 characters"),
        ({"language": '"English"'}, "its language must be a code"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused_with_its_file_and_line(tmp_path, changed, why):
    path = tmp_path / "mine.toml"
    path.write_text(f'language = "en"\n\n{template(**changed)}\n')
    with pytest.raises(BadNoiseError) as refused:
        load([tmp_path])
    words = str(refused.value)
    assert words.startswith(f"{path}:3 (")
    assert why in words
    assert "\n" not in words


def test_an_invalid_file_of_templates_is_refused(tmp_path):
    path = tmp_path / "mine.toml"
    for content in ("[[noise]", "noises = []", "language = 3", "noise = 3"):
        path.write_text(content)
        with pytest.raises(BadNoiseError, match=r"mine\.toml"):
            read(path)


def test_own_templates_join_those_of_the_package_but_may_not_share_a_name(tmp_path):
    (tmp_path / "mine.toml").write_text(template())
    assert "mine" in {each.name for each in load([tmp_path])}
    (tmp_path / "mine.toml").write_text(template(name='"en-garden-week"'))
    with pytest.raises(BadNoiseError, match=r"mine\.toml:1: .*en\.toml:\d+ already has a"):
        load([tmp_path])


def test_letters_that_no_font_has_are_refused(tmp_path, monkeypatch):
    from pytest_mobileagent.noise import fonts

    monkeypatch.setattr(fonts, "_file", lambda script: None)
    (tmp_path / "mine.toml").write_text(template(title='"你好"'), "utf-8")
    with pytest.raises(BadNoiseError, match=r"no font on this machine has Chinese.*pip install"):
        load([tmp_path])
