"""The command `calibrate`: what it prints, checks and writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.judge import calibration as command
from pytest_mobileagent.judge.calibration import figures
from pytest_mobileagent.llm.scripted.model_server import ServedModel
from pytest_mobileagent.report.export import find_layout
from pytest_mobileagent.testing import ScriptedModel

from .conftest import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Project:
    """The settings of a project."""

    def __init__(self, replies: Path, **texts: str) -> None:
        self.replies = replies
        self.texts = texts

    def get(self, name):
        return (self.texts[name], self.replies.parent) if name in self.texts else None


class Standing:
    """A model whose script can change while its server stays, because the cache is per server."""

    model = "scripted"
    now: ScriptedModel

    def next(self, request):
        return self.now.next(request)


@pytest.fixture
def calibrate(
    labelled: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Callable[..., Any]]:
    """Runs the command on four labels, with judges on local servers, through their SDKs."""
    monkeypatch.setattr(command, "reader", lambda name: lambda screen: "nothing")
    monkeypatch.setattr(figures, "RESAMPLES", 40)  # for speed; no test here needs an interval
    figures._resamples.cache_clear()
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, f"sk-{name.lower()}-0123456789")
    lacks = {"key_components": ["Total"]}
    path = labelled(("Do 1.", True), ("Do 2.", True), ("Do 3.", False), ("Do 4.", False, lacks))

    def run(*arguments: str, first=None, second=None, status=0, **texts):
        one.now, two.now = first or judge("1 2"), second or judge("1 3")
        texts.setdefault("mobile_judges", "openai:gpt-4o,anthropic:claude-sonnet-4-5")
        project = Project(tmp_path / "replies", **texts)
        assert command.main(["--labels", str(path), *arguments], lambda: project) == status
        return capsys.readouterr()

    one, two = Standing(), Standing()
    with ServedModel.start(one) as here, ServedModel.start(two) as there:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{here}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", str(there))
        yield run
    figures._resamples.cache_clear()


def test_table_shows_each_judge_and_their_agreement(calibrate):
    out, err = calibrate()
    head, *lines = (" ".join(line.split()) for line in out.splitlines())
    assert head == "4 episodes, 2 labelled done accuracy F1 kappa calls price"
    assert lines[0].startswith("openai:gpt-4o 1.00 (0.51-1.00) 1.00 (1.00-1.00) 1.00 (1.00-1.00) 3")
    assert lines[0].endswith(" $0.01")
    assert lines[1].startswith("anthropic:claude-sonnet-4-5 0.50 (0.15-0.85) 0.50 (")
    assert lines[2].startswith("both, where they agree (2) 1.00 (0.34-1.00)")
    assert lines[2].endswith("key components saved 0.25 (0.07-0.59) of the calls (1 have any)")
    between = "gpt-4o and claude-sonnet-4-5 agree on 0.50 (0.15-0.85), kappa 0.00"
    assert lines[3].startswith(between)
    assert "wrong although they agree: 0.000 (0.000-0.658), 0 of 2, measured" in lines[4]
    assert "4 of 4 episodes judged" in err


def test_json_contains_all_numbers_and_answers(calibrate):
    found = json.loads(calibrate("--format=json").out)
    (mode,) = found["modes"]
    assert (found["episodes"], found["judged"], found["done"], found["stopped"]) == (4, 4, 2, "")
    first, second = mode["judges"]
    assert first["accuracy"]["value"] == first["f1"]["value"] == 1
    assert [second[name] for name in ("true_positives", "false_negatives")] == [1, 1]
    assert mode["pairs"][0]["error_when_both_agree"]["value"] == 0
    assert mode["pairs"][0]["product_of_error_rates"] == 0
    assert mode["key_components"]["saved"]["value"] == 0.25
    assert len(found["answers"]) == 8
    assert found["answers"][0].keys() >= {"episode", "done", "judge", "passed", "error"}


def test_json_becomes_table_3_of_a3(calibrate, tmp_path):
    file = tmp_path / "judges.json"
    file.write_text(calibrate("--format=json").out, "utf-8")
    runs = [(run.about["label"], run.summary["right"]) for run in find_layout("a3:3").read(file)]
    assert runs == [("openai:gpt-4o", 1), ("anthropic:claude-sonnet-4-5", 0.5)]


def test_cached_replies_are_free_but_keep_their_price_in_the_table(calibrate):
    before = calibrate().out.splitlines()
    again = calibrate(first=ScriptedModel([]), second=ScriptedModel([])).out.splitlines()
    assert again[:6] == before[:6]
    assert again[-1] == "6 of 6 replies were kept from before, and cost nothing again"


@pytest.mark.slow  # starts servers and loads SDKs
def test_modes_are_compared_in_a_table(calibrate):
    out = calibrate("--modes", "--no-coarse", first=judge("1 2 4")).out.splitlines()
    assert out[1].split() == ["F1", "gpt-4o,", "en", "claude-sonnet-4-5,", "en"]
    assert out[2].startswith("no actions, result only")
    assert "1.000 (-0.200)" in out[2]
    assert out[7].startswith("image actions, reason and result")
    assert out[8].startswith("saved by key components")
    assert out[9] == "in parentheses: how F1 changes if key components are not used"


@pytest.mark.slow  # starts servers and loads SDKs
def test_three_judges_form_three_pairs_and_the_third_settles_disputes(calibrate):
    judges = "openai:gpt-4o,anthropic:claude-sonnet-4-5,openai:gpt-4o-mini"
    out = " ".join(calibrate("--judges", judges).out.split())
    assert "gpt-4o and gpt-4o-mini, where they agree (4)" in out
    assert "cross, settled by the third 1.00 (0.51-1.00)" in out


def test_errors_of_judges_are_reported_and_left_out(calibrate):
    out = " ".join(calibrate(first=ScriptedModel([])).out.split())
    assert "openai:gpt-4o 1.00 (0.21-1.00)" in out  # from key components alone
    assert "3 answers left out, as there was none:" in out
    assert "openai:gpt-4o, made1" in out


def test_command_fails_if_no_judge_answers(calibrate):
    calibrate(first=ScriptedModel([]), second=ScriptedModel([]), status=1)


@pytest.mark.parametrize(
    ("arguments", "texts", "why"),
    [
        (["--judges=gpt-4o"], {}, "--judges=gpt-4o: 'gpt-4o' must be PROVIDER:NAME"),
        ([], {"mobile_judges": "openia:gpt-4o"}, "mobile_judges=openia:gpt-4o: no provider is"),
        ([], {"mobile_judges": "openai:ours"}, "no price is known. Give one with --prices=FILE"),
        (["--unpriced=allow", "--max-cost=1"], {"mobile_judges": "openai:ours"}, "cannot limit it"),
        (["--judges=mistral:x"], {}, "MISTRAL_API_KEY is not set. Nothing was asked"),
        (["--max-cost=much"], {}, "--max-cost=much: must be AMOUNT"),
        (["--prices=nowhere.toml"], {}, "--prices=nowhere.toml: cannot read nowhere.toml"),
        ([], {"mobile_judge_runs": "two"}, "mobile_judge_runs=two: 'two' is not a whole number"),
        (["--modes", "--reason=yes"], {}, "--modes sets --actions, --reason and --evidence"),
        (["--labels=nowhere"], {}, "cannot read nowhere"),
    ],
)
def test_mistakes_are_reported_before_a_judge_is_asked(calibrate, arguments, texts, why):
    nobody = ScriptedModel([])
    err = calibrate(*arguments, first=nobody, second=nobody, status=2, **texts).err
    assert err.startswith("error: ")
    assert why in err
    assert nobody.requests == []


def test_missing_judges_are_an_error(labelled, tmp_path, capsys):
    path = labelled(("Do 1.", True))
    assert command.main(["--labels", str(path)], lambda: Project(tmp_path)) == 2
    assert "no judge is named: --judges=PROVIDER:NAME" in capsys.readouterr().err


def test_script_path_is_relative_to_where_it_is_set(labelled, tmp_path, capsys):
    path = labelled(("Do 1.", True))
    (tmp_path / "judge.jsonl").write_text('"Result: 1"\n')
    project = Project(tmp_path / "replies", mobile_judges="scripted:judge.jsonl")
    assert command.main(["--labels", str(path)], lambda: project) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "scripted:judge.jsonl 1.00 (0.21-1.00)" in out
    assert not (tmp_path / "replies").exists()


def test_a_budget_that_is_spent_is_reported_and_the_same_command_continues(calibrate):
    for labels in (1, 2):  # the calls of two judges cost 0.006 US dollars
        err = calibrate("--max-cost=0.004", "--threads=1", status=2).err
        assert f"--max-cost=0.004 is spent: {labels} of 4 episodes were judged; the same" in err
    assert calibrate("--max-cost=0.004", "--threads=1").out.startswith("4 episodes, 2 labelled")
