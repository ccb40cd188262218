"""The map and the classifieds: both in Chinese, whatever the phone speaks."""

from pathlib import Path

import pytest

from pytest_mobileagent.virtual.loading import load_apps
from pytest_mobileagent.virtual.phone import Phone
from tests.virtual.conftest import NOON, Hand

APPS = Path(__file__).parents[2] / "fixtures" / "apps"
MAP, WUBA = "com.autonavi.minimap", "com.wuba"


@pytest.fixture(scope="module")
def booted() -> Phone:
    return Phone(load_apps(APPS), time=NOON, frozen=True)


def test_a_found_name_is_marked_up_in_its_text_and_clean_in_its_description(
    phone: Phone, hand: Hand
) -> None:
    phone.activities.launch(MAP)
    hand.tap("content-desc", "搜索")
    phone.ime.commit("博物")
    phone.key("ENTER")
    marked = "临溪&lt;font color='#1677FF'&gt;博物&lt;/font&gt;馆"
    assert 'content-desc="临溪博物馆"' in hand.node("text", marked)


def test_a_route_goes_both_ways(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(MAP)
    hand.tap("text", "公园")
    hand.tap("content-desc", "青石公园")
    hand.tap("text", "路线")
    before = hand.node("text", "推荐")
    assert before
    hand.tap("content-desc", "切换起终点")
    ends = hand.nodes("class", "android.widget.EditText")
    assert ['text="青石公园"' in ends[0], 'text="我的位置"' in ends[1]] == [True, True]
    hand.tap("text", "公交")
    assert hand.sees("乘坐地铁2号线 → 地铁1号线到文庙站")


def test_home_and_work_are_set_where_they_are_missing(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(MAP)
    hand.tap("text", "路线")
    hand.tap("content-desc", "公司")
    phone.ime.commit("图书馆")
    phone.key("ENTER")
    hand.tap("content-desc", "临溪图书馆")
    hand.tap("content-desc", "公司")
    assert hand.sees("临溪图书馆")
    assert hand.sees("开始导航")


def test_what_is_published_is_found_until_it_is_deleted(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(WUBA)
    hand.tap("text", "发布")
    for field, words in [("et_title", "旧书 一箱"), ("et_content", "自提"), ("et_price", "x")]:
        hand.tap("resource-id", f"{WUBA}:id/{field}")
        phone.ime.commit(words)
        phone.key("BACK")
    hand.tap("resource-id", f"{WUBA}:id/btn_publish")
    assert phone.windows.toast()
    hand.tap("resource-id", f"{WUBA}:id/et_price")
    phone.key("DEL")
    phone.ime.commit("30")
    phone.key("BACK")
    hand.tap("resource-id", f"{WUBA}:id/btn_publish")
    hand.tap("text", "旧书 一箱")
    hand.tap("text", "删除")
    hand.tap("resource-id", "android:id/button1")
    assert not hand.sees("旧书 一箱")


def test_searches_are_remembered_and_forgotten(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(WUBA)
    hand.tap("content-desc", "搜索")
    phone.ime.commit("%' OR 1=1 --")
    hand.tap("resource-id", f"{WUBA}:id/search_do")
    assert hand.sees("没有找到相关信息")
    phone.key("BACK")
    hand.tap("content-desc", "清空历史搜索")
    assert not hand.sees("历史搜索")
