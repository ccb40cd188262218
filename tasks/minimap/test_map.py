"""地点、收藏和路线。"""

from pytest_mobileagent import answer, open_app, sqlite, tap, task, type_text
from pytest_mobileagent.answers import one_of

MAP = "com.autonavi.minimap"
DATABASE = "/data/data/com.autonavi.minimap/databases/girf_sync.db"
FAVORITES = sqlite(DATABASE, "SELECT name FROM favorites ORDER BY name")
TRIPS = sqlite(DATABASE, "SELECT origin, goal, mode FROM trips")
FIELD = "//*[contains(@class, 'EditText')]"


@task(
    "在高德地图里搜索“博物馆”，把临溪博物馆加入收藏。",
    app=MAP,
    language="zh",
    level=1,
    probes={"favorites": FAVORITES},
    solution=[
        open_app(),
        tap(content_desc="搜索"),
        type_text("博物馆", enter=True, xpath=FIELD),
        tap(content_desc="临溪博物馆", nth=0),
        tap(text="收藏"),
    ],
)
def test_favorite(episode):
    assert "临溪博物馆" in [row["name"] for row in episode.probe("favorites")]


@task(
    "用高德地图看看，离我最近的医院是哪一家？它的电话是多少？",
    app=MAP,
    language="zh",
    kind="single-frame query",
    level=2,
    solution=[
        open_app(),
        tap(content_desc="搜索"),
        type_text("医院", enter=True, xpath=FIELD),
        tap(content_desc="临溪市第一人民医院", nth=0),
        answer("临溪市第一人民医院，0579-55512000"),
    ],
)
def test_nearest_hospital(episode):
    assert episode.saw(text="0579-55512000")
    hospital = one_of("临溪市第一人民医院", "第一人民医院")
    assert episode.answers([hospital, one_of("0579-55512000", "55512000")])


@task(
    "从临溪图书馆坐公交（地铁）去临溪站，在高德地图里规划路线并开始导航。",
    app=MAP,
    language="zh",
    level=3,
    probes={"trips": TRIPS},
    solution=[
        open_app(),
        tap(text="路线"),
        tap(text="我的位置"),
        type_text("图书馆", enter=True, xpath=FIELD),
        tap(content_desc="临溪图书馆", nth=0),
        tap(text="输入终点（支持跨城路线）"),
        type_text("临溪站", enter=True, xpath=FIELD),
        tap(content_desc="临溪站", nth=0),
        tap(text="公交"),
        tap(text="开始导航"),
    ],
)
def test_metro(episode):
    wanted = {"origin": "临溪图书馆", "goal": "临溪站", "mode": "公交"}
    assert episode.probe("trips") == [wanted]


@task(
    "从我的位置去望湖公园，步行比骑行要多花多少分钟？请在高德地图里比较推荐路线。",
    app=MAP,
    language="zh",
    kind="multi-frame query",
    level=3,
    solution=[
        open_app(),
        tap(text="路线"),
        tap(text="输入终点（支持跨城路线）"),
        type_text("望湖公园", enter=True, xpath=FIELD),
        tap(content_desc="望湖公园", nth=0),
        tap(text="骑行"),
        tap(text="步行"),
        answer("44分钟"),
    ],
)
def test_walk_or_ride(episode):
    assert episode.saw(text="26分钟")
    assert episode.saw(text="1小时10分钟")
    assert episode.answers("44分钟")
