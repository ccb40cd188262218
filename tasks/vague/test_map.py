"""没说清楚的地点和路线。"""

from pytest_mobileagent import (
    answer,
    ask_user,
    open_app,
    questions,
    seen,
    sqlite,
    tap,
    task,
    type_text,
)

MAP = "com.autonavi.minimap"
DATABASE = "/data/data/com.autonavi.minimap/databases/girf_sync.db"
FAVORITES = sqlite(DATABASE, "SELECT name FROM favorites ORDER BY name")
TRIPS = sqlite(DATABASE, "SELECT origin, goal, mode FROM trips")
FIELD = "//*[contains(@class, 'EditText')]"


def find(place):
    """搜索一个地点，并打开它。"""
    return [
        tap(content_desc="搜索"),
        type_text(place, enter=True, xpath=FIELD),
        tap(content_desc=place, nth=0),
    ]


@task(
    "在高德地图里把临溪博物馆加入收藏。",
    vague="帮我收藏一个地方。",
    app=MAP,
    language="zh",
    level=1,
    probes={"favorites": FAVORITES},
    user=questions(
        [
            ("用哪个应用？", "高德地图"),
            ("收藏哪个地方？", "临溪博物馆"),
            ("要不要取消别的收藏？", "不用"),
            ("需要导航过去吗？", "不需要，收藏就行"),
            ("那里在哪个城市？", "就在临溪"),
        ]
    ),
    solution=[
        open_app(),
        ask_user("请问要收藏的是哪个地方？", place="青石公园"),
        *find("{place}"),
        tap(text="收藏"),
    ],
)
def test_favorite(episode):
    before = {row["name"] for row in episode.initial_probe("favorites")}
    assert {row["name"] for row in episode.probe("favorites")} - before == {"临溪博物馆"}


@task(
    "从临溪图书馆坐公交（地铁）去临溪站，在高德地图里规划路线并开始导航。",
    vague="我要出门，在高德地图里给我导航。",
    app=MAP,
    language="zh",
    level=3,
    probes={"trips": TRIPS},
    user=questions(
        [
            ("从哪里出发？", "临溪图书馆"),
            ("目的地是哪里？", "临溪站"),
            ("用什么交通方式？", "公交"),
            ("什么时候出发？", "现在就走"),
            ("走哪条路线？", "推荐的路线"),
        ]
    ),
    solution=[
        open_app(),
        tap(text="路线"),
        tap(text="我的位置"),
        ask_user("请问您从哪儿出发？", origin="望湖公园"),
        type_text("{origin}", enter=True, xpath=FIELD),
        tap(content_desc="{origin}", nth=0),
        tap(text="输入终点（支持跨城路线）"),
        ask_user("您的目的地是？", goal="临溪机场"),
        type_text("{goal}", enter=True, xpath=FIELD),
        tap(content_desc="{goal}", nth=0),
        ask_user("请选择交通方式", mode="驾车"),
        tap(text="{mode}"),
        tap(text="开始导航"),
    ],
)
def test_route(episode):
    wanted = {"origin": "临溪图书馆", "goal": "临溪站", "mode": "公交"}
    assert episode.probe("trips") == [wanted]


@task(
    "用高德地图查一下，城北中医院的电话是多少？",
    vague="用高德地图帮我查一下医院的电话。",
    app=MAP,
    language="zh",
    kind="single-frame query",
    level=2,
    user=questions(
        [
            ("查哪家医院？", "城北中医院"),
            ("要急诊电话还是总机？", "地图上写的那个就行"),
            ("要不要直接拨打？", "不要，告诉我号码"),
            ("需要地址吗？", "不需要"),
            ("您要看什么病？", "这个不用管"),
        ]
    ),
    solution=[
        open_app(),
        ask_user("是哪一家医院？", hospital="临溪市第一人民医院"),
        *find("{hospital}"),
        answer(seen(xpath="//*[starts-with(@text, '0579-')]")),
    ],
)
def test_phone(episode):
    assert episode.saw(text="城北中医院")
    number = episode.screen.get(xpath="//*[starts-with(@text, '0579-')]").text
    assert episode.screen.find(text="城北中医院")
    assert episode.answers(number)


@task(
    "用高德地图查一下湖畔青年旅舍在哪条街上，告诉我地址。",
    vague="用高德地图查一下我住的地方的地址。",
    app=MAP,
    language="zh",
    kind="single-frame query",
    level=2,
    user=questions(
        [
            ("您住在哪里？", "湖畔青年旅舍"),
            ("您的房间号是多少？", "房间号不用查"),
            ("住到哪一天？", "住到周日，不过跟地址没关系"),
            ("要不要叫车？", "不要，告诉我地址"),
            ("需要电话吗？", "不需要，地址就行"),
        ]
    ),
    solution=[
        open_app(),
        ask_user("请问您住的是哪里？", place="云杉酒店"),
        *find("{place}"),
        answer(seen(xpath="//*[contains(@text, ' | ')]")),
    ],
)
def test_address(episode):
    assert episode.saw(text="湖畔青年旅舍")
    assert "芦苇街5号" in episode.answer
