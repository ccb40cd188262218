"""Tests that hostile texts do nothing on a page and are shown literally."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.slow  # starts a browser
SHOWN = "<img src=x onerror=\"document.title='taken'\">"
LONG = "long " * 2_000


def hostile(value: Any, text: str) -> Any:
    """Return the data with each text made hostile, except those that the page relies on."""
    if isinstance(value, dict):
        return {
            name: each if name in _KEPT else hostile(each, text) for name, each in value.items()
        }
    if isinstance(value, list):
        return [hostile(each, text) for each in value]
    return text if isinstance(value, str) and value else value


_KEPT = {"e", "outcome", "success", "png", "after", "kind", "picture", "began", "live"}


@pytest.fixture
def reader(read: Any, invented: Any, pictures: Any) -> Any:
    """Return a reader of a page in which every text is hostile or very long."""
    text = f"{invented.HOSTILE} {LONG}"
    rows = [invented.row("a/a", "failed", e="a.0", sought="x", closest="y", tags=["t"])]
    rows += [invented.row("a/b", "error", infrastructure=["x"], fault="task")]
    comparison = {"baseline": "x", "difference": 0.1, "interval": [0, 1], "gained": ["x"]}
    comparison |= {"lost": ["y"], "flaky": [{"id": "z"}], "differs_in": ["a"]}
    gate = {"verdict": "x", "line": "y", "bounds": [{"metric": "z", "verdict": "w"}]}
    about = invented.index(rows, notice="x", gate=gate, comparison=comparison)
    about["summary"]["apps"][text] = about["summary"]["apps"].pop("com.android.a")
    about["run"]["options"] = {text: text}
    episode = invented.episode("a.0", pictures, attempts=[{"e": "b.0", "reason": "x"}])
    for frame in episode["frames"]:
        frame["probes"] = {text: text}
        frame["calls"][0] |= {"failure": "y"}
        frame["log"] = ["x"]
    return read(hostile(about, text), [hostile(episode, text)])


def unharmed(reader: Any) -> bool:
    own = "document.querySelectorAll('script:not([type]), style').length === 2"
    made = "document.querySelectorAll('img:not([alt]), [onerror], iframe, object').length === 0"
    return bool(reader.ask(f"{own} && {made} && !document.title.startsWith('taken')"))


def test_overview_shows_hostile_texts_as_text(reader):
    reader.sees("#count", "1 task · 2 episodes")  # with equal names
    for part in ("#run", "#notice", "#gate", "#comparison", "#causes", "#rows"):
        reader.sees(part, SHOWN)
    reader.click("#plots-box summary")
    reader.until("document.querySelector('.bar-row')")
    assert SHOWN in reader.ask("document.querySelector('.bar-row').title.toWellFormed()")
    reader.click("#about-run summary")
    reader.sees("#facts", SHOWN)
    reader.press("/", "onerror", "\ue00c", "y")
    reader.sees("#status", "Copied")
    assert unharmed(reader)


def test_episode_shows_hostile_texts_as_text(reader):
    reader.go("#e=a.0&s=2")
    reader.sees("#place", "/ 6")
    for part in ("#head", "#why", "#strip", "#step"):
        reader.sees(part, SHOWN)
    assert SHOWN in reader.ask("document.querySelector('figcaption').title.toWellFormed()")
    for number, part in enumerate(("#panel",) * 4 + ("#tree",) + ("#panel",) * 4, 1):
        reader.press(str(number))
        reader.sees(part, SHOWN)
    reader.press("5")
    reader.hover("#node-1 .class")
    reader.sees("#element", SHOWN)
    reader.press("j", "y")
    reader.sees("#status", "Copied")
    assert unharmed(reader)
    markdown = reader.ask("stepAsMarkdown().toWellFormed()")
    assert "\\<img src=x" in markdown
    assert "<img" not in markdown.replace("\\<img", "")


def test_right_to_left_text_does_not_reorder_its_surroundings(reader):
    reader.go("#e=a.0&s=2")
    reader.sees("#place", "/ 6")
    order = "[...document.querySelectorAll('#head > *')].map((n) => n.getBoundingClientRect().left)"
    lefts = reader.ask(order)
    assert lefts == sorted(lefts)
    assert reader.ask("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize(
    "path",
    [
        "https://127.0.0.1:9/screens/0123456789abcdef.png",
        "//127.0.0.1:9/screens/0123456789abcdef.png",
        "javascript:alert(1)//screens/0123456789abcdef.png",
        "/etc/screens/0123456789abcdef.png",
        "\\\\host\\screens/0123456789abcdef.png",
        "screens/0123456789abcdef.svg",
        "screens/../secret.png",
        "screens/0123456789abcdef.png?x=1",
        "data:image/svg+xml,<svg/>",
    ],
)
def test_only_pictures_of_the_run_are_loaded(read, invented, pictures, path):
    episode = invented.episode("a.0", pictures, invented.STEPS[:1])
    episode["frames"][0].update(png=path, after=path)
    episode["frames"][0]["calls"][0]["request"]["prompt"][1]["content"] = [{"picture": path}]
    reader = read(invented.index([invented.row("a/a", e="a.0")]), [episode])
    reader.go("#e=a.0")
    reader.sees("#stage", "a picture that is not the run's")
    assert reader.ask("document.images.length") == 0


@pytest.mark.parametrize(
    "place", ["#e=%00&s=x&f=%FF", "#e=</script>", "#e=__proto__&with=constructor", "#s=-1&e=a.0"]
)
def test_hostile_links_only_open_the_page(reader, place):
    reader.go(place)
    reader.until("!document.querySelector('#problem').hidden || document.querySelector('#place')")
    assert unharmed(reader)


def test_an_injected_script_does_not_run(reader):
    reader.sees("#count", "1 task · 2 episodes")  # with equal names
    adding = "const s = document.createElement('script'); s.text = 'document.title = 1';"
    with pytest.raises(Exception, match="TrustedScript"):
        reader.chrome.execute_script(f"{adding} document.body.append(s)")
    assert unharmed(reader)
    reader.chrome.get_log("browser")
