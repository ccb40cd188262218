"""The intents that a filter matches."""

from __future__ import annotations

import pytest

from pytest_mobileagent.virtual.content.intent import SEND, VIEW, Filter, type_matches
from pytest_mobileagent.virtual.sdk import Intent

WEB = Filter((VIEW,), schemes=("http", "https"))
SHOP = Filter((VIEW,), schemes=("https",), hosts=("shop.example", "*.shop.example"),
              paths=("/item/*",))  # fmt: skip
PICTURES = Filter((VIEW, SEND), mime_types=("image/*", "text/plain"))
DIAL = Filter((VIEW, "android.intent.action.DIAL"), schemes=("tel",), lenient=True)
PASSES = [
    (WEB, Intent(VIEW, data="http://a.example/x"), True),
    (WEB, Intent(VIEW, data="HTTPS://a.example"), True),
    (WEB, Intent(VIEW, data="ftp://a.example"), False),
    (WEB, Intent(VIEW), False),
    (WEB, Intent(VIEW, data="http://a.example", type="image/png"), False),
    (WEB, Intent(SEND, data="http://a.example"), False),
    (WEB, Intent(VIEW, data="http://a.example", categories=("android.intent.category.BROWSABLE",)),
     True),
    (WEB, Intent(VIEW, data="http://a.example", categories=("some.CATEGORY",)), False),
    (SHOP, Intent(VIEW, data="https://shop.example/item/7"), True),
    (SHOP, Intent(VIEW, data="https://www.shop.example/item/7"), True),
    (SHOP, Intent(VIEW, data="https://shop.example/basket"), False),
    (SHOP, Intent(VIEW, data="https://other.example/item/7"), False),
    (PICTURES, Intent(SEND, type="image/png"), True),
    (PICTURES, Intent(SEND, type="text/html"), False),
    (PICTURES, Intent(VIEW, data="content://media/1", type="image/jpeg"), True),
    (PICTURES, Intent(VIEW, data="https://a.example/a.png", type="image/png"), False),
    (PICTURES, Intent(SEND), False),
    (DIAL, Intent("android.intent.action.DIAL"), True),
    (DIAL, Intent("android.intent.action.DIAL", data="tel:123"), True),
    (DIAL, Intent("android.intent.action.DIAL", data="sip:123"), False),
    (DIAL, Intent(VIEW), False),
]  # fmt: skip


@pytest.mark.parametrize(("filter_", "intent", "passes"), PASSES,
                         ids=[str(p[1]) + str(n) for n, p in enumerate(PASSES)])  # fmt: skip
def test_filters(filter_, intent, passes):
    assert filter_.matches(intent) is passes


@pytest.mark.parametrize(("given", "wanted", "matches"), [
    ("image/png", ["image/*"], True), ("image/*", ["image/png"], True), ("*/*", ["a/b"], True),
    ("IMAGE/PNG", ["image/png"], True), ("a/b", ["*/*"], True), ("a/b", ["a/c"], False),
    ("", [], True), ("", ["a/b"], False), ("a/b", [], False),
])  # fmt: skip
def test_types(given, wanted, matches):
    assert type_matches(given, wanted) is matches
