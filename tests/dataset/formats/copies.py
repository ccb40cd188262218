"""Writes small data sets in the layouts of published releases, with content made for the tests."""

from __future__ import annotations

import gzip
import json
import struct
from typing import TYPE_CHECKING, Any

from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SIZE = (720, 1280)
PACKAGE = "org.shop"


def write_png(path: Path, size: tuple[int, int] = SIZE, shade: int = 200) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", size, shade).save(path)


def write_json(path: Path, value: Any, *, twice: bool = False, encoding: str = "utf-8") -> None:
    """Write a value as JSON, or encoded twice as JSON, as Mobile3M's collector does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(json.dumps(value)) if twice else json.dumps(value, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding)


# Mobile3M. An element has a class, a text and a box; the class determines the possible actions.


def line(element: tuple[str, str, str]) -> str:
    """Return an element's line of HTML, which contains no position."""
    kind, text, bounds = element
    name = f"android.widget.{kind}"
    tag = {"Button": "button", "EditText": "input", "TextView": "p"}.get(kind, "div")
    if kind == "ListView":
        return f'<div class="{name}" clickable="true" scrollable="true" bounds="{bounds}">  </div>'
    return f'<{tag} package="{PACKAGE}" class="{name}" clickable="true"> {text} </{tag}>'


def node(element: tuple[str, str, str]) -> str:
    """Return an element's node in Appium's page source."""
    kind, text, bounds = element
    name = f"android.widget.{kind}"
    scrolls = "true" if kind == "ListView" else "false"
    return (
        f'<{name} package="{PACKAGE}" class="{name}" text="{text}" content-desc="" '
        f'clickable="true" scrollable="{scrolls}" bounds="{bounds}"/>'
    )


SEARCH = ("EditText", "Search", "[0,0][600,100]")
SHOES = ("Button", "Shoes", "[0,200][360,300]")
CART = ("Button", "购物车", "[400,1100][700,1250]")
GOODS = ("ListView", "", "[0,300][720,1100]")
UP = "scroll(([360, 900], [360, 500]))"  # by half the height of GOODS, through its centre


def mobile3m(folder: Path, app: str = "shop") -> Path:
    """Write an app's graph: two actions on its first page, one on each of the following pages."""
    target = folder / f"{app}_graph_8100"
    actions = {
        f"click({line(SHOES)})": 0,
        f"input({line(SEARCH)}, 'red shoes')": 1,
        f"click({line(CART)})": 2,
        UP: 3,
    }
    home = f"{app}0"
    pages = [home, *(f"{home}_{way}" for way in ("0", "1", "0_3", "0_3_2", "1_2"))]
    triples = [[page.rpartition("_")[0], int(page.rpartition("_")[2]), page] for page in pages[1:]]
    for name in pages:
        write_page(target, name)
    write_json(target / "all_action_id.json", actions, twice=True)
    write_json(target / "all_page_id.json", {name: n for n, name in enumerate(pages)}, twice=True)
    write_json(target / "all_triple.json", {"num": len(triples), "data": triples})
    return target


def write_page(app: Path, name: str, *elements: tuple[str, str, str]) -> None:
    shown = elements or (SEARCH, SHOES, GOODS, CART)
    html = "\n".join(map(line, shown))
    frame = "android.widget.FrameLayout"
    inner = "".join(map(node, shown))
    box = f'bounds="[0,0][{SIZE[0]},{SIZE[1]}]"'
    xml = f'<hierarchy><{frame} package="{PACKAGE}" {box}>{inner}</{frame}></hierarchy>'
    write_png(app / name / f"{name}-screen.png")
    (app / name / f"{name}-html.txt").write_text(f"{html}\n", "utf-8")
    (app / name / f"{name}-xml.txt").write_text(f"{xml}\n", "utf-8")


SIMPLE = {
    "name": "shop0_0_3_2",
    "task": "1. Open the shoes.\n2. Look on.\nPut shoes into the cart.",
}
VAGUE = {
    "name": "shop0_1_2",
    "easy_instruct": "I need something to wear.",
    "complete_instruct": "Find red shoes, and open the cart.",
    "step_instruct": ["Search for red shoes.", "Open the cart."],
}


def mobile_bench(folder: Path) -> Path:
    """Write an app's graph with one task of each kind; the noisy task is encoded in GB18030."""
    mobile3m(folder)
    write_json(folder / "simple_tasks_sample.json", [SIMPLE])
    write_json(folder / "amb_tasks_sample_1.json", [VAGUE])
    noisy = folder / "noisy"
    steps = [
        {"action": "Click", "info": {"coordinate": [180, 250]}},
        {"action": "swipe", "info": {"coordinate": [[360, 900], [360, 500]]}},
        {"action": "text", "info": {"text": "红鞋"}},
        {"action": "Back"},
    ]
    entry = {
        "user_instruction": {"query": "买红鞋"},
        "trajectories": [{"action": each} for each in steps],
    }
    write_json(noisy / "data7.json", entry, encoding="gb18030")
    for number in range(5):
        write_png(noisy / f"7-{number}.png")
        inner = "".join(map(node, (SEARCH, SHOES, GOODS)))
        (noisy / f"7-{number}.xml").write_text(f"<hierarchy>{inner}</hierarchy>", "utf-8")
    return folder


def walks(folder: Path) -> Path:
    """Write three tasks in our own JSON lines: to tap, to type, and to go back."""
    where = {"action": "Tap", "x": 360, "y": 250}
    tap = {"action": where, "boxes": [[0, 200, 720, 300]]}
    text = {"action": {"action": "Type", "text": "red shoes", "at": None, "clear": False}}
    back = {"action": {"action": "Key", "name": "back"}}
    paths: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "tap": [("home", tap), ("shoes", tap), ("cart", {})],
        "type": [("home", text), ("shoes", {})],
        "back": [("home", tap), ("shoes", text), ("cart", back), ("end", {})],
    }
    pages = [{"page": name, "png": f"{name}.png", "xml": "page.xml", "package": PACKAGE}
             for name in ("home", "shoes", "cart", "end")]  # fmt: skip
    tasks = [
        {
            "task": name,
            "goal": f"Do this: {name}.",
            "page": path[-1][0],
            "golden": [{"page": page, **action} for page, action in path[:-1]],
        }
        for name, path in paths.items()
    ]
    for shade, page in enumerate(pages, 1):
        write_png(folder / str(page["png"]), shade=50 * shade)
    inner = "".join(map(node, (SEARCH, SHOES)))
    (folder / "page.xml").write_text(f"<hierarchy>{inner}</hierarchy>", "utf-8")
    lines = [{"set": "Walks", "rule": "mobile_bench"}, *pages, *tasks]
    (folder / "walks.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return folder


# TFRecords.


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def message(number: int, content: bytes | int) -> bytes:
    """Return an encoded field of a message, whose value is an integer or bytes."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def feature(values: list[Any]) -> bytes:
    """Return an encoded feature; integers and floats are packed, as by TensorFlow."""
    if isinstance(values[0], float):
        return message(2, message(1, struct.pack(f"<{len(values)}f", *values)))
    if isinstance(values[0], int):
        return message(3, message(1, b"".join(map(varint, values))))
    content = (each if isinstance(each, bytes) else each.encode() for each in values)
    return message(1, b"".join(message(1, each) for each in content))


def example(features: Mapping[str, list[Any]]) -> bytes:
    entries = (
        message(1, message(1, name.encode()) + message(2, feature(values)))
        for name, values in features.items()
        if values
    )
    return message(1, b"".join(entries))


def write_records(path: Path, examples: Iterable[Mapping[str, list[Any]]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wb") as file:
        for each in examples:
            data = example(each)
            file.write(struct.pack("<QI", len(data), 0) + data + struct.pack("<I", 0))


# ColorBench.

HOME, FEED, FOUND, SAVED, LATER = "home.jpg", "feed.png", "found.jpg", "saved.png", "later.jpg"


def colorbench(folder: Path) -> Path:
    """Write a graph of five pages and four tasks, of which two cannot be done."""
    data = folder / "data"

    def click(*box: int) -> dict[str, Any]:
        return {"action_type": "click", "x": box[0] + 1, "y": box[1] + 1, "bbox": list(box)}

    graph: dict[str, Any] = {
        FEED: {
            FOUND: [{"action_type": "type", "text": "red，shoes"}],
            SAVED: [],
            LATER: [{"action_type": "wait", "reason": "an ad"}],
        },
        HOME: {
            FEED: [{"action_type": "open", "app": "小店"}],
            LATER: [{"action_type": "open", "app": "小店"}],
        },
        FOUND: {
            SAVED: [
                {"action_type": "click", "bbox": [-20, 100, 200, 160]},
                {**click(0, 300, 200, 400), "action_type": "long_press"},
            ],
            FEED: [{"action_type": "swipe", "direction": "up"}],
        },
    }

    def task(number: int, apps: int, *milestones: dict[str, Any]) -> dict[str, Any]:
        return {
            "task_id": number,
            "query": f"买红鞋 {{{number}}}",
            "optimal_steps": 4,
            "app_num": apps,
            "milestone": list(milestones),
        }

    search = {"ability": "search", "page_node": ["unknown.jpg", FOUND]}
    save = {"ability": "save", "page_node": [SAVED]}
    tasks = [
        task(1, 1, search, save),
        task(2, 2, save, {"ability": "others", "page_node": [HOME], "raw_ability": "回家"}),
        task(3, 1, search, {"ability": "memory", "answer": ["177.79"]}),
        task(4, 1, {"ability": "find", "page_node": ["saved7.png"]}),
    ]
    write_json(data / "graph.json", graph)
    text = json.dumps(tasks, ensure_ascii=False, indent=2)
    (data / "tasks.json").write_text(text.replace('"optimal_steps": 4,', '"optimal_steps": 4', 1))
    for shade, name in enumerate((HOME, FEED, FOUND, SAVED, LATER)):
        write_png(data / "graph_image" / name, shade=40 * shade)
    return folder


# MobiBench. The second step has two right answers, and the third may be a scroll or a key.

_FIRST, _OTHER = "[0,0][100,50]", "[0,100][100,150]"
MOBIBENCH = (
    [{"type": "OpenApp", "params": {"app_name": "Shop"}, "default": True}],
    [
        {"type": "Click", "bounds": _OTHER, "params": {}, "default": False},
        {"type": "Click", "index": 3, "bounds": _FIRST, "params": {}, "default": True},
    ],
    [{"type": "Swipe", "params": {}}, {"type": "Navigate Back"}],
    [{"type": "Input", "bounds": _FIRST, "params": {"text": "red shoes"}, "default": True}],
    [{"type": "Long Click", "bounds": _FIRST, "params": {}, "default": True}],
    [{"type": "Finish", "default": True}],
)


def mobibench(folder: Path) -> Path:
    """Write a task of six steps in one app, and one of a single step in another."""
    for app, number, steps in (("Shop", 7, MOBIBENCH), ("Clock", 12, MOBIBENCH[-2:])):
        task = folder / app / str(number)
        for step, answers in enumerate(steps):
            write_json(task / f"{step}_answers.json", answers)
            write_png(task / f"{step}.png", shade=30 * step)
            (task / f"{step}.xml").write_text(f"<hierarchy>{node(SHOES)}</hierarchy>", "utf-8")
        (task / "instruction.txt").write_text("Find red\nshoes {1}.\n", "utf-8")
    return folder


# AITZ: one path of a tap, a swipe and the end.


def aitz(
    folder: Path, size: tuple[int, int] = (40, 80), shade: int = 200, box: str = "10, 20, 30, 40"
) -> Path:
    """Write a trajectory of three steps, on screens of this size and grey with this element."""
    name = "GENERAL-5"
    place = folder / "test" / "general" / name
    kinds = [
        (4, [0.5, 0.25], [0.5, 0.25]),
        (4, [0.8, 0.5], [0.2, 0.5]),
        (10, [-1.0] * 2, [-1.0] * 2),
    ]
    steps = [
        {
            "episode_id": "5",
            "step_id": number,
            "instruction": "Turn on the lamp.",
            "ui_positions": f"[[{box}]]",
            "result_action_type": kind,
            "result_action_text": "",
            "result_touch_yx": json.dumps(touch),
            "result_lift_yx": json.dumps(lift),
            "image_path": f"general/{name}/{name}_{number}.png",
            "coat_action_think": "I look.",
            "coat_action_desc": f"step {number}",
        }
        for number, (kind, touch, lift) in enumerate(kinds)
    ]
    write_json(place / f"{name}.json", steps)
    for number in range(3):
        write_png(place / f"{name}_{number}.png", size, shade)
    return folder
