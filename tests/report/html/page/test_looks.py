"""Tests of a page's appearance: light and dark, on a laptop and a phone, and for screen readers."""

import pytest

from tests.flaws import flaws

pytestmark = pytest.mark.slow  # starts a browser
PLACES = {"": "#count", "#e=b.0&s=3": "#place", "#e=b.0&with=~b.0": "#pair-place"}


@pytest.fixture
def reader(read, invented, pictures):
    rows = [invented.row(f"clock/{'long_name_' * 9}", "failed", e="b.0"), *invented.many(40)]
    before = [invented.row(f"clock/{'long_name_' * 9}", e="~b.0")]
    episodes = [invented.episode(name, pictures) for name in ("b.0", "~b.0")]
    reader = read(invented.index(rows, notice="Virtual phones …"), episodes, invented.index(before))
    yield reader
    reader.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    reader.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_page_fits_the_screen(reader, width):
    screen = {"width": width, "height": 720, "deviceScaleFactor": 1, "mobile": width < 500}
    reader.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    for place, sign in PLACES.items():
        reader.go(place)
        reader.until(f"document.querySelector('{sign}')?.textContent")
        assert reader.ask("document.documentElement.scrollWidth") <= width, place
        small = "[...document.querySelectorAll('.row, #stage .shot, .half')]"
        widths = f"{small}.filter((n) => n.offsetParent).map((n) => n.offsetWidth)"
        assert all(each > 100 for each in reader.ask(widths)), place


@pytest.mark.parametrize(
    ("place", "keys"),
    [("#e=b.0&s=3", "1"), ("#e=b.0&s=3", "5v"), ("#e=b.0&s=3", "8bvv"), ("#e=b.0&with=~b.0", "vv")],
)
def test_episodes_have_no_flaws_at_any_width(reader, place, keys):
    reader.go(place)
    reader.until("document.querySelector('#place, #pair-place')?.textContent")
    reader.press(*keys)
    assert flaws(reader.chrome) == []


def test_texts_have_enough_contrast_in_light_and_dark(reader):
    """The Web Content Accessibility Guidelines require a contrast of 4.5 to 1 for text (1.4.3)."""
    papers = set()
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        reader.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        for place, sign in PLACES.items():
            reader.go(place)
            reader.until(f"document.querySelector('{sign}')?.textContent")
            papers.add(reader.ask("getComputedStyle(document.body).backgroundColor"))
            assert [each for each in reader.ask(_CONTRASTS) if each[1] < 4.5] == [], scheme
    assert len(papers) == 2


# Returns each text's class, and the contrast of its colour with the nearest background below.
_CONTRASTS = """(() => {
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((each) => each / 255)
      .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const below = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = [...document.querySelectorAll("main *, #top *, #notice")].filter((node) =>
    node.offsetParent
    && [...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim())
    && getComputedStyle(node).fontSize !== "0px" && !node.closest(":disabled"));
  return texts.map((node) => {
    const [a, b] = [light(getComputedStyle(node).color), light(below(node))];
    return [node.className || node.tagName, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
})()"""


def test_every_control_has_a_name(reader):
    roles = {"button", "textbox", "searchbox", "image", "combobox", "link", "treeitem", "row"}
    for place, sign in PLACES.items():
        reader.go(place)
        reader.until(f"document.querySelector('{sign}')?.textContent")
        tree = reader.chrome.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        controls = [n for n in tree if not n["ignored"] and n["role"]["value"] in roles]
        assert len(controls) > 5
        assert [n for n in controls if not n["name"]["value"]] == []
