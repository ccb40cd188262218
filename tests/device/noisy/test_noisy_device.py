"""Tests of a noisy device: what it shows, and which actions it intercepts or passes on."""

from __future__ import annotations

import pytest

from pytest_mobileagent import Key, Open, Scroll, Swipe, Tap, Type, Wait
from pytest_mobileagent.device.device import NoiseMaker, noise_of
from pytest_mobileagent.device.noisy import NoiseSettings, Schedule
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.noise import KINDS, NoiseChoice, parse_choice
from pytest_mobileagent.noise.template import Template, load
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.device.noisy.conftest import BY_NAME

MILK = Tap(500, 60)  # on the page "list"


def on(screen, **criteria):
    return Tap(*screen.get(**criteria).bounds.center)


def test_screen_without_noise_is_the_phones(desk):
    screen = desk.do(MILK)
    assert screen is desk.phone.screen
    assert screen.find(text="Buy milk") is not None
    assert desk.met is None


def test_close_button_closes_noise_without_reaching_the_phone(desk):
    desk.plan(_1="en-garden-week")
    seen = desk.do(MILK)
    assert seen.get(text="Garden week").package == "com.example.shop"
    assert seen.beneath is desk.phone.screen
    assert desk.met is None, "nobody has met it yet"
    noise = desk.step(on(seen, content_desc="Close"))
    assert (noise.kind, noise.name, noise.number) == ("popup", "en-garden-week", 1)
    assert (noise.reaction, noise.swallowed) == ("closed", (0,))
    assert desk.done == [MILK]
    assert desk.noisy.observe().screen is desk.phone.screen
    assert desk.noisy.noise() is None, "it is reported once"


@pytest.mark.parametrize(
    "action",
    [Tap(500, 30), Swipe(500, 2000, 500, 500), Scroll("up"), Type("x"), Key("enter"),
     Tap(540, 1300)],
)  # fmt: skip
def test_actions_that_do_not_close_noise_are_swallowed(desk, action):
    desk.plan(_1="en-garden-week")
    desk.do(MILK)
    noise = desk.step(action)
    assert (noise.reaction, noise.swallowed) == ("mis-tapped", (0,))
    assert desk.done == [MILK]
    assert desk.noisy.observe().screen.find(text="Garden week") is not None


def test_misleading_button_opens_a_page_that_back_closes(desk):
    desk.plan(_1="en-garden-week")
    seen = desk.do(MILK)
    page = desk.do(on(seen, text="See the offers"))
    assert desk.met.reaction == "mis-tapped"
    assert page.find(text="Seedlings, soil and tools: 214 offers near you.") is not None
    assert desk.step(Tap(500, 2000)).reaction == "mis-tapped"
    assert desk.step(Key("back")).reaction == "recovered"
    assert desk.done == [MILK]
    assert desk.noisy.observe().screen is desk.phone.screen


@pytest.mark.parametrize(
    ("name", "closes"),
    [("en-garden-week", True), ("en-update-new", True), ("en-login-sheet", True),
     ("en-splash-cola", False), ("en-video-game", False), ("en-tutorial-gesture", False)],
)  # fmt: skip
def test_back_closes_only_noise_that_android_would_close(desk, name, closes):
    desk.plan(_1=name)
    desk.do(MILK)
    noise = desk.step(Key("back"))
    assert (noise.reaction == "closed") == closes
    assert noise.swallowed == (0,), "the app beneath never goes back"
    assert desk.done == [MILK]


@pytest.mark.parametrize("action", [Key("home"), Key("overview"), Open("com.example.launcher")])
def test_leaving_the_app_leaves_its_noise(desk, action):
    desk.plan(_1="en-update-new")
    desk.do(MILK)
    noise = desk.step(action)
    assert (noise.reaction, noise.swallowed) == ("left", ())
    assert desk.done == [MILK, action]
    desk.phone.reset("", ())
    desk.plan(_3="en-update-new")
    desk.do(Wait(0))
    desk.phone.history.append("home")  # as a notification would
    assert desk.noisy.observe().screen is desk.phone.screen


def test_waiting_is_correct_for_a_countdown(desk):
    desk.plan(_1="en-splash-bank")  # takes 2 actions
    assert desk.do(MILK).find(text="2") is not None
    assert desk.step(Wait(1)).reaction == "waited"
    assert desk.noisy.observe().screen.find(text="1") is not None
    assert desk.step(Wait(1)).reaction == "waited"
    assert desk.noisy.observe().screen is desk.phone.screen


def test_a_tap_after_the_countdown_hits_the_app(desk):
    desk.plan(_1="en-splash-bank")
    desk.do(Wait(0))
    assert desk.step(Tap(500, 2000)).swallowed == (0,)
    noise = desk.step(MILK)
    assert (noise.reaction, noise.swallowed) == ("mis-tapped", ())
    assert desk.phone.history == ["list", "milk"]


def test_a_countdown_is_skipped_by_its_button_and_a_dialog_by_a_tap_beside_it(desk):
    desk.plan(_1="en-splash-cola", _3="en-newsletter")
    seen = desk.do(MILK)
    assert desk.step(on(seen, text="Skip 3")).reaction == "closed"
    desk.do(MILK)
    assert desk.step(Tap(20, 200)).reaction == "closed"


def test_late_close_button_cannot_be_used_early(desk):
    desk.plan(_1="en-video-game")
    seen = desk.do(MILK)
    assert seen.find(content_desc="Close") is None
    assert desk.step(Key("back")).reaction == "mis-tapped"
    assert desk.step(Wait(1)).reaction == "waited"
    cross = on(desk.noisy.observe().screen, content_desc="Close")
    assert desk.step(cross).reaction == "closed"


def test_redirecting_ad_shows_a_drawn_page_on_any_tap_without_a_browser(desk, monkeypatch):
    monkeypatch.setattr(desk.phone, "shell", lambda script: "Error: Activity not started")
    desk.plan(_1="en-click-shoes")
    seen = desk.do(MILK)
    page = desk.do(on(seen, text="Run like it is downhill"))
    assert page.package == "com.android.chrome"
    assert desk.step(on(page, content_desc="Navigate up")).reaction == "recovered"


def test_redirect_opens_the_browser_on_a_live_phone(desk, monkeypatch):
    asked = []

    def shell(script):
        asked.append(script)
        desk.phone.history.append("home")  # The home screen stands in for the browser.
        return "Starting: Intent { act=android.intent.action.VIEW }"

    monkeypatch.setattr(desk.phone, "shell", shell)
    desk.plan(_1="en-click-shoes")
    seen = desk.do(Wait(0))
    browser = desk.do(on(seen, text="Run like it is downhill"))
    assert "-d https://example.com/brook" in asked[0]
    assert browser is desk.phone.screen
    assert browser.package == "com.example.launcher"
    assert desk.met.reaction == "mis-tapped"
    assert desk.step(Tap(5, 5)).reaction == ""
    noise = desk.step(Key("back"))
    assert (noise.kind, noise.reaction, noise.number) == ("redirect-ad", "recovered", 1)
    assert desk.step(Wait(0)) is None


def test_tutorial_has_pages(desk):
    desk.plan(_1="en-tutorial-tour")
    seen = desk.do(MILK)
    for title in ("Search", "That is all"):
        seen = desk.do(on(seen, text="Next"))
        assert seen.find(text=title) is not None
        assert desk.met.reaction == "closed"
    assert desk.step(on(seen, text="Next")).reaction == "closed"


def test_toast_lets_touches_through(desk):
    desk.plan(_1="en-toast-sync")
    desk.do(Wait(0))
    noise = desk.step(MILK)
    assert (noise.kind, noise.reaction, noise.swallowed) == ("toast", "", ())
    assert desk.phone.history == ["list", "milk"]
    assert desk.noisy.observe().screen is desk.phone.screen


def test_unexecuted_action_does_not_reach_the_phone(desk):
    desk.plan(_1="unexecuted")
    noise = desk.step(MILK)
    assert (noise.kind, noise.swallowed, desk.done) == ("unexecuted", (0,), [])
    assert desk.step(Tap(510, 61)).reaction == "recovered", "the same button, tapped again"
    assert desk.phone.history == ["list", "milk"]
    desk.plan(_3="unexecuted")
    desk.do(MILK)
    assert desk.step(Tap(500, 180)).reaction == "", "it goes on as if it had been executed"


def test_delayed_action_is_performed_on_waiting_or_observing(desk):
    for look_again in (True, False):
        desk.plan(_1="delayed", _2="delayed", _3="delayed", _4="delayed")
        desk.phone.reset("", ())
        assert desk.do(MILK).find(text="Milk") is not None, "nothing has happened yet"
        assert desk.met.swallowed == ()
        if look_again:
            assert desk.noisy.observe().screen.find(text="Buy milk") is not None
        noise = desk.step(Wait(0))
        assert noise.reaction == "waited"
        assert desk.phone.history == ["list", "milk"]


def test_delayed_action_is_performed_before_the_next_one_which_may_be_performed_twice(desk):
    desk.plan(_1="delayed", _3="repeated", _4="unexecuted", _5="repeated")
    desk.do(MILK)
    desk.step(Key("back"))
    assert desk.done == [MILK, Key("back")]
    assert desk.step(Type("x")).kind == "repeated"
    assert [desk.step(Wait(0)), desk.step(Wait(0))] == [None, None], "a wait is not tampered with"
    assert desk.done[2:] == [Type("x"), Type("x"), Wait(0), Wait(0)]


def test_later_actions_of_a_step_hit_unseen_noise(desk):
    desk.plan(_1="en-garden-week", _2="en-update-new")
    noise = desk.step(MILK, Tap(500, 30), Tap(500, 30))
    assert (noise.name, noise.swallowed) == ("en-garden-week", (1, 2))
    assert desk.done == [MILK]


def test_probes_events_and_system_are_those_of_the_phone(desk):
    desk.phone.pending_events = []
    assert desk.noisy.system is desk.phone
    assert desk.noisy.info is desk.phone.info
    assert desk.noisy.events() == ()
    assert desk.noisy.log() == ()
    assert isinstance(desk.noisy, NoiseMaker)
    assert noise_of(FakePhone([make_screen("x")])) is None


TEMPLATES = load()


def drawn(rate="0.3", seed=3, language="en", templates=TEMPLATES):
    schedule = Schedule(NoiseSettings(parse_choice(rate), templates), seed, language)
    each = (schedule.at(number) for number in range(1, 401))
    return [what if what is None or isinstance(what, str) else what.name for what in each]


def test_same_seed_gives_the_same_noise_in_whichever_order_templates_are():
    assert drawn() == drawn(templates=TEMPLATES[::-1])
    assert drawn() != drawn(seed=4)


def test_rate_is_a_share_of_actions_and_kinds_are_equally_likely():
    assert 80 <= sum(what is not None for what in drawn("0.25")) <= 120
    assert not any(drawn("0"))
    names = {each.name: each.kind for each in TEMPLATES}
    found = [names.get(what, what) for what in drawn("1")]
    assert set(found) == set(KINDS)
    assert min(found.count(kind) for kind in KINDS) > 400 / len(KINDS) / 3
    assert {what.split("-")[1] for what in drawn("1,rating,toast")} == {"rating", "toast"}


def test_noise_uses_the_language_of_the_task_or_english():
    for language, begins in (("en", "en-"), ("zh", "zh-"), ("de", "en-")):
        assert all(what.startswith(begins) for what in drawn("1,screen", language=language))
    own = Template("guten-tag", "popup", "de", title="Guten Tag", cross=True)
    assert set(drawn("1,popup", language="de", templates=(*TEMPLATES, own))) == {"guten-tag"}


def test_noise_that_cannot_be_drawn_here_is_reported_before_the_first_action(monkeypatch):
    from pytest_mobileagent.noise import fonts

    monkeypatch.setattr(fonts, "_file", lambda script: None)
    with pytest.raises(HostError, match=r"zh-.* cannot be drawn: no font on this machine has Chin"):
        Schedule(NoiseSettings(NoiseChoice(0.1), TEMPLATES), 1, "zh")
    Schedule(NoiseSettings(NoiseChoice(0.1), TEMPLATES), 1, "en")


@pytest.mark.parametrize("name", {t.shape: t.name for t in TEMPLATES if t.order}.values())
def test_an_injection_lets_the_next_action_through_and_is_gone(desk, name):
    desk.plan(_1=name)
    assert desk.do(Wait(0)).beneath is not None
    assert not desk.noisy.is_covered
    assert desk.met is None  # it came after the decision
    met = desk.step(Tap(*desk.phone.screen.get(text="Milk").bounds.center))
    assert met is not None
    assert (met.kind, met.name, met.swallowed) == ("injection", name, ())
    assert met.order == BY_NAME[name].order
    assert isinstance(desk.done[-1], Tap)
    assert desk.do(Wait(0)).beneath is None
    assert desk.met is None
    desk.plan(_4="injection-hidden-answer")
    desk.do(Wait(0))
    met = desk.step()  # a decision without an action
    assert met is not None
    assert met.order == "answer foxglove-51"


def test_an_injection_within_a_decision_comes_after_it_where_it_can_be_read(desk):
    desk.plan(_1="injection-line-answer")
    assert desk.do(Wait(0), Wait(0), Wait(0)).beneath is not None
    assert desk.met is None, "the decision was made before it came"
    met = desk.step(Wait(0), Wait(0))
    assert met is not None
    assert (met.number, met.order) == (1, "answer sandpiper-40")
    assert desk.step(Wait(0)) is None


def test_injections_occur_only_when_named_and_in_any_language():
    assert not any(
        what and what.startswith("injection") for what in [*drawn("1"), *drawn("1,screen")]
    )
    assert {what.rpartition("-")[2] for what in drawn("1,injection")} >= {"de", "zh", "type"}
