"""Tests of the noise schedule, which depends on the case's seed and nothing else."""

from __future__ import annotations

import pytest

from pytest_mobileagent.device.noisy.schedule import NoiseSettings, Schedule
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.noise import KINDS, NoiseChoice, parse_choice
from pytest_mobileagent.noise.template import Template, load

TEMPLATES = load()


def drawn(rate="0.3", seed=3, language="en", templates=TEMPLATES):
    schedule = Schedule(NoiseSettings(parse_choice(rate), templates), seed, language)
    each = (schedule.at(number) for number in range(1, 401))
    return [what if what is None or isinstance(what, str) else what.name for what in each]


def test_the_same_seed_gives_the_same_noise():
    assert drawn() == drawn()
    assert drawn() != drawn(seed=4)


def test_it_does_not_depend_on_the_order_of_the_templates():
    assert drawn() == drawn(templates=TEMPLATES[::-1])


def test_the_rate_is_a_share_of_actions():
    assert 80 <= sum(what is not None for what in drawn("0.25")) <= 120
    assert all(what is not None for what in drawn("1"))
    assert not any(drawn("0"))


def test_all_kinds_come_about_as_often():
    names = {each.name: each.kind for each in TEMPLATES}
    found = [names.get(what, what) for what in drawn("1")]
    assert set(found) == set(KINDS)
    assert min(found.count(kind) for kind in KINDS) > 400 / len(KINDS) / 3


def test_only_the_kinds_that_are_named_come():
    assert {what.split("-")[1] for what in drawn("1,rating,toast")} == {"rating", "toast"}


@pytest.mark.parametrize(("language", "begins"), [("en", "en-"), ("zh", "zh-"), ("de", "en-")])
def test_noise_speaks_the_language_of_the_task_or_english(language, begins):
    assert all(what.startswith(begins) for what in drawn("1,screen", language=language))


def test_a_user_s_own_language_comes_first():
    own = Template("guten-tag", "popup", "de", title="Guten Tag", cross=True)
    assert set(drawn("1,popup", language="de", templates=(*TEMPLATES, own))) == {"guten-tag"}


def test_what_cannot_be_drawn_here_is_reported_before_the_first_action(monkeypatch):
    from pytest_mobileagent.noise import fonts

    monkeypatch.setattr(fonts, "_file", lambda script: None)
    with pytest.raises(HostError, match=r"zh-.* cannot be drawn: no font on this machine has Chin"):
        Schedule(NoiseSettings(NoiseChoice(0.1), TEMPLATES), 1, "zh")
    Schedule(NoiseSettings(NoiseChoice(0.1), TEMPLATES), 1, "en")
