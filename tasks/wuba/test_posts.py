"""查找、收藏和发布信息。"""

from pytest_mobileagent import answer, open_app, sqlite, tap, task, type_text
from pytest_mobileagent.answers import money, phone

WUBA = "com.wuba"
DATABASE = "/data/data/com.wuba/databases/wuba.db"
SAVED = sqlite(DATABASE, "SELECT title FROM saved JOIN posts ON _id = post_id")
MINE = sqlite(DATABASE, "SELECT title, category, price, area FROM posts WHERE mine")
MESSAGES = sqlite(
    DATABASE,
    "SELECT p.title, m.text FROM messages m JOIN posts p ON p._id = post_id",
)


def search(words):
    """Return moves that search from the home screen of the phone."""
    return [
        open_app(),
        tap(content_desc="搜索"),
        type_text(words, enter=True, resource_id="searcherInputEditText"),
    ]


@task(
    "在58同城搜索“自行车”，按价格从低到高排序，收藏第一个结果。",
    app=WUBA,
    language="zh",
    level=2,
    probes={"saved": SAVED},
    solution=[
        *search("自行车"),
        tap(text="默认排序"),
        tap(text="价格从低到高"),
        tap(resource_id="list_item", nth=0),
        tap(content_desc="收藏"),
    ],
)
def test_save_the_cheapest(episode):
    def first(screen):
        """Return the first result, if the results are sorted."""
        assert screen.find(text="价格从低到高")
        return screen.find_all(resource_id="list_item")[0]

    assert episode.tapped(first)
    assert "儿童自行车 16寸" in [row["title"] for row in episode.probe("saved")]


@task(
    "58同城上湖滨区整租一居的房租是多少？房东的电话呢？",
    app=WUBA,
    language="zh",
    kind="single-frame query",
    level=2,
    solution=[
        open_app(),
        tap(content_desc="租房"),
        tap(text="湖滨整租一居 带阳台"),
        answer("2600元，13900550202"),
    ],
)
def test_rent(episode):
    assert episode.saw(text="13900550202")
    assert episode.answers([money("2600元"), phone("13900550202")])


@task(
    "在58同城的二手物品里发布一条信息：标题“台灯”，描述“暖光，九成新”，价格45元，区域湖滨区。",
    app=WUBA,
    language="zh",
    level=3,
    probes={"mine": MINE},
    solution=[
        open_app(),
        tap(text="发布"),
        tap(resource_id="sp_area"),
        tap(text="湖滨区"),
        type_text("台灯", resource_id="et_title"),
        type_text("暖光，九成新", resource_id="et_content"),
        type_text("45", resource_id="et_price"),
        tap(resource_id="btn_publish"),
    ],
)
def test_publish(episode):
    wanted = {"title": "台灯", "category": "二手物品", "price": 45, "area": "湖滨区"}
    assert episode.probe("mine") == [wanted]


@task(
    "比较58同城上的两辆二手车，私聊里程更少的那辆的车主，问“可以试驾吗”。",
    app=WUBA,
    language="zh",
    kind="operation",
    level=3,
    probes={"messages": MESSAGES},
    solution=[
        open_app(),
        tap(content_desc="二手车"),
        tap(text="小型电动车 续航180千米"),
        tap(text="私聊"),
        type_text("可以试驾吗", resource_id="send_msg_edittext"),
        tap(text="发送"),
    ],
)
def test_message(episode):
    (sent,) = episode.probe("messages") or [{"title": "", "text": ""}]
    assert sent["title"] == "小型电动车 续航180千米"
    assert "试驾" in sent["text"]
