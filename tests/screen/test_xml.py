"""Tests that hold for every view hierarchy, whatever a phone writes into it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen import Screen
from pytest_mobileagent.screen.element import Bounds, Element, tree
from pytest_mobileagent.screen.xml import _parsed, in_other_dialect, outline, parse, parse_tree

FLAGS = (
    "checkable", "checked", "clickable", "enabled", "focusable", "focused", "scrollable",
    "long-clickable", "password", "selected",
)  # fmt: skip


def read_independently(xml: str) -> list[tuple[Any, ...]]:
    """Return the attributes of all elements of a hierarchy, read without the parser under test."""
    return [
        (
            node.get("class", "hierarchy"),
            node.get("text", ""),
            node.get("resource-id", ""),
            node.get("content-desc", ""),
            node.get("package", ""),
            [int(number) for number in re.findall(r"-?\d+", node.get("bounds", "0 0 0 0"))],
            [node.get(flag, str(flag == "enabled").lower()) for flag in FLAGS],
            len(node),
        )
        for node in etree.fromstring(xml.encode()).iter()
    ]


def told(element: Element) -> tuple[Any, ...]:
    flags = [str(getattr(element, flag.replace("-", "_"))).lower() for flag in FLAGS]
    return (
        element.class_name,
        element.text,
        element.resource_id,
        element.content_desc,
        element.package,
        list(element.bounds),
        flags,
        len(element.children),
    )


def test_recorded_hierarchies_are_read_as_another_reader_reads_them(recorded_xml):
    assert [told(element) for element in parse(recorded_xml).iter()] == read_independently(
        recorded_xml
    )


def test_recorded_hierarchies_say_the_same_in_the_other_dialect(recorded_xml):
    other = etree.tostring(in_other_dialect(parse_tree(recorded_xml)), encoding="unicode")
    assert ("<node " in other) != ("<node " in recorded_xml)
    assert parse(other) == parse(recorded_xml)


def test_both_dialects_are_among_the_recordings(recordings):
    texts = [path.read_text("utf-8") for path in recordings.rglob("*.xml")]
    assert {"<node " in text for text in texts} == {True, False}


def test_children_know_their_ancestors(recorded_xml):
    root = parse(recorded_xml)
    for element in root.iter():
        assert all(child.parent is element for child in element.children)
        *_, top = [element, *element.ancestors]
        assert top is root


def test_tags_that_are_known_are_read_as_a_parser_reads_the_whole(recorded_xml):
    for _ in range(2):  # The tags are new in the first pass, and known in the second.
        known = outline(recorded_xml)
        assert known is not None
        assert tree(*known) == _parsed(recorded_xml)


_WORDS = st.sampled_from(
    [
        "", "a", "\u00a0", "é😀", "&lt;", "&#55357;&#56832;", "&#55357;", ">", "/>", "'", "a\nb",
        "]]>", "&", "<", '"', "\x0b", "\ud83d", "</node>", "<!-- -->", "&amp;#55357;",
    ]
)  # fmt: skip
_BETWEEN = st.sampled_from(
    ["", "", "", " ", "\n\t", "\u00a0", "word", "<!-- <node> -->", "<![CDATA[<]]>", "<?go on?>"]
)


@st.composite
def _documents(draw: st.DrawFn) -> str:
    """Draw hierarchies in either dialect, many of which are malformed."""
    name = draw(st.sampled_from(["node", "node", "android.widget.Button", "hierarchy", "a:b"]))
    closing = draw(st.sampled_from([f"</{name}>", f"</{name}>", f"</{name} >", "</other>", ""]))

    def node(inside: str) -> str:
        words = f'text="{draw(_WORDS)}" bounds="[0,1][2,3]"'
        words += draw(st.sampled_from(["", "", ' text="twice"', " clickable='true'", " checked"]))
        space = draw(st.sampled_from(["", " ", "\n"]))
        if not inside and draw(st.booleans()):
            return f"<{name} {words}{space}/>"
        return f"<{name} {words}{space}>{inside}{closing}"

    body = ""
    for _ in range(draw(st.integers(0, 4))):
        body = node(body) if draw(st.booleans()) else body + draw(_BETWEEN) + node("")
    root = draw(st.sampled_from(["hierarchy", "hierarchy", "hierarchy", "displays", "node"]))
    before = draw(
        st.sampled_from(["", "", "<?xml version='1.0' encoding='UTF-8'?>", " ", "<!-- -->"])
    )
    after = draw(st.sampled_from(["", "", "\n", "<node/>", "word"]))
    opened = draw(st.sampled_from([f'{root} rotation="0"', f'{root} xmlns:a="urn:a"', f"{root} "]))
    return f"{before}<{opened}>{body}{draw(_BETWEEN)}</{root}>{after}"


@given(_documents())
def test_known_tags_agree_with_a_parser(xml):
    known = outline(xml)
    if known is not None:
        assert [told(each) for each in tree(*known).iter()] == [
            told(e) for e in _parsed(xml).iter()
        ]


@pytest.mark.parametrize("xml", ["<hierarchy></></hierarchy>", "</>", "</hierarchy>", "<", ""])
def test_unbalanced_tags_are_not_a_hierarchy(xml):
    assert outline(xml) is None
    with pytest.raises(ScreenError):
        parse(xml)


def only(attributes: str) -> Element:
    (element,) = parse(f"<hierarchy><node {attributes}/></hierarchy>").children
    return element


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("&#x1F600;", "😀"),
        ("&#55357;&#56832;", "😀"),
        ("&#xd83d;&#56832;!", "😀!"),
        ("a&#56832;b", "a\ufffdb"),
        ("&#55357;&#55357;&#56832;", "\ufffd😀"),
        ("&#55000;&#57344;", "\ud6d8\ue000"),
        ("&#0055357;&#x0DE00;", "😀"),
        ("\ud83d\ude00", "😀"),
        ("\ud83d&#56832;", "😀"),
        ("a\ude00b\ud83d", "a\ufffdb\ufffd"),
        ("&amp;#55357;&amp;#56832;", "&#55357;&#56832;"),
        ("a&#10;b", "a\nb"),
        ("&lt;b> &quot;&amp;", '<b> "&'),
        ("a&#0;b&#x1f;c&#65535;&#1114112;", "a\ufffdb\ufffdc\ufffd\ufffd"),
        (f"&#{'9' * 5000};\x00\x08!", "\ufffd\ufffd\ufffd!"),
    ],
)
def test_text_is_read_however_it_is_escaped(written, text):
    assert only(f'text="{written}"').text == text


@pytest.mark.parametrize(
    ("bounds", "read", "width_and_height"),
    [
        ("[1,2][30,50]", (1, 2, 30, 50), (29, 48)),
        ("[10,10][0,0]", (10, 10, 0, 0), (0, 0)),
        ("[-5,-6][3,4]", (-5, -6, 3, 4), (8, 10)),
        ("[0,0]", (0, 0, 0, 0), (0, 0)),
        ("[1,2][3,4] ", (0, 0, 0, 0), (0, 0)),
        ("[-2147483648,0][2147483647,9]", (-(2**31), 0, 2**31 - 1, 9), (2**32 - 1, 9)),
        (f"[0,0][1,{'9' * 5000}]", (0, 0, 0, 0), (0, 0)),
    ],
)
def test_bounds_are_read_and_never_have_a_negative_size(bounds, read, width_and_height):
    element = only(f'bounds="{bounds}"')
    assert element.bounds == Bounds(*read)
    assert (element.bounds.width, element.bounds.height) == width_and_height


def test_missing_attributes_are_empty_and_unknown_ones_are_ignored():
    assert only("") == Element("")
    assert only('NAF="true" index="3" hint="x" drawing-order="1" text="a"').text == "a"


def test_comments_and_instructions_are_not_elements():
    root = parse("<hierarchy><!-- a --><?b c?><node text='d'><!-- e --></node></hierarchy>")
    assert [element.text for element in root.iter()] == ["", "d"]


@pytest.mark.parametrize(
    "prolog",
    [
        "<!-- <!DOCTYPE h> -->",
        "<?xml version='1.0'?>\n<!-- a --><!-- <!DOCTYPE h [<!ENTITY a 'b'>]> -->",
        "<?a <!DOCTYPE h> ?>",
        "\ufeff<!---->",
        "<!-- a -->" * 5000,
    ],
)
def test_a_document_type_in_a_comment_is_none(prolog):
    xml = f"{prolog}<hierarchy><node text='a'/><!-- <!DOCTYPE h> --></hierarchy>"
    assert parse(xml).children[0].text == "a"


def test_windows_are_read_whatever_stands_between_them():
    window = "<window><hierarchy><node text='{}'/></hierarchy></window>"
    between = "<?a?><!-- b -->"
    display = f"{window.format(1)}{between}{window.format(2)}"
    root = parse(f"<displays>{between}<display>{between}{display}</display></displays>")
    assert [element.text for element in root.children] == ["1", "2"]


@pytest.mark.parametrize("encoding", ["UTF-8", "ISO-8859-1", "UTF-16", "GBK"])
def test_text_is_decoded_once_whatever_the_declaration_says(encoding):
    xml = f"<?xml version='1.0' encoding='{encoding}'?><hierarchy><node text='é中'/></hierarchy>"
    assert parse(xml).children[0].text == "é中"


@pytest.mark.parametrize(
    ("xml", "complaint"),
    [
        ("   \n", "it begins ''"),
        ("ERROR: null root node returned by UiTestAutomationBridge.", "it begins 'ERROR: null"),
        ("<hierarchy rotation='0'><node", "it begins \"<hierarchy rotation='0'><node\""),
        ("<hierarchy><node text='a' text='b'/></hierarchy>", "text"),
        ("<hierarchy><node text='&nbsp;'/></hierarchy>", "nbsp"),
        ("<hierarchy/><hierarchy/>", "Extra content"),
        ("<html/>", "the root is <html>, not <hierarchy>"),
        (
            '<!DOCTYPE h [<!ENTITY a "b">]><hierarchy><node text="&a;"/></hierarchy>',
            "declares a document type",
        ),
        ('<!DOCTYPE h SYSTEM "http://127.0.0.1:9/x.dtd"><hierarchy/>', "declares a document type"),
        (
            '<?xml version="1.0"?><!-- a --> <?b?><!DOCTYPE h [<!ENTITY a "b">]><hierarchy/>',
            "declares a document type",
        ),
        ('\ufeff<!DOCTYPE h [<!ENTITY a "b">]><hierarchy/>', "declares a document type"),
    ],
)
def test_invalid_hierarchies_are_refused_with_the_reason(xml, complaint):
    with pytest.raises(ScreenError, match=re.escape(complaint)):
        parse(xml)


def test_entities_read_no_files(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("4711")
    xml = f'<!DOCTYPE h [<!ENTITY x SYSTEM "{secret.as_uri()}">]><hierarchy>&x;</hierarchy>'
    with pytest.raises(ScreenError) as caught:
        parse(xml)
    assert "4711" not in str(caught.value)


@pytest.mark.parametrize("depth", [250, 3000])
def test_a_deep_hierarchy_is_read_and_searched(depth):
    nodes = (f"<node class='a.B' text='{n}' bounds='[0,0][9,9]'>" for n in range(depth))
    xml = f"<hierarchy>{''.join(nodes)}{'</node>' * depth}</hierarchy>"
    assert sum(1 for _ in parse(xml).iter()) == depth + 1
    assert parse(xml) == parse(xml)
    screen, last = Screen(xml, b""), depth - 1
    for expression in (f"//node[@text='{last}']", f"//a.B[@text='{last}']", f"//a.B[{last}]/.."):
        assert screen.get(xpath=expression, text=str(last)) if "@" in expression else True
    assert screen.get(text=str(last)).describe() == f"<B text='{last}' at [0,0][9,9]>"
    assert not screen.find(text="absent")
    assert screen.get(text=str(last), inside=screen.get(text="0"))


@given(st.text(st.characters()) | st.text("<>/='hierarchynode &#;0[]", max_size=60))
def test_any_text_is_either_read_or_refused(text):
    for xml in (text, f"<hierarchy>{text}</hierarchy>", f"<hierarchy text='{text}'/>"):
        try:
            root = parse(xml)
        except ScreenError:
            continue
        assert root.class_name == "hierarchy"


ODD_CLASSES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).filter(
    lambda name: not set(name) & {"\ufffe", "\uffff"}
)


@given(ODD_CLASSES | st.sampled_from(["²", "a²", "{a}b", "a:b", ":", "-a", "1", "a b", "·"]))
def test_any_class_can_be_searched_by_xpath(class_name):
    hierarchy = etree.Element("hierarchy")
    etree.SubElement(hierarchy, "node").set("class", class_name)
    tree = parse_tree(etree.tostring(hierarchy, encoding="unicode"))
    other = parse(etree.tostring(in_other_dialect(tree), encoding="unicode"))
    assert len(other.children) == 1
    screen = Screen(etree.tostring(hierarchy, encoding="unicode"), b"")
    assert screen.find_all(xpath="//*[@class]") == list(screen.elements)
    assert screen.get(xpath="//node").class_name == class_name


NUMBERS = st.integers() | st.just(int("9" * 4000)) | st.sampled_from(["", "x", "٣", "-", "1.5"])
PROLOGS = st.lists(
    st.sampled_from(
        ["<?xml version='1.0'?>", "<!-- <!DOCTYPE a> -->", "<?b?>", " ", "\ufeff", "<!DOCTYPE a>"]
    ),
    max_size=4,
).map("".join)
TEXTS = st.text(st.characters() | st.sampled_from("&;#<'\ud83d\ude00"), max_size=8)


@given(PROLOGS, st.lists(st.tuples(TEXTS, st.lists(NUMBERS, min_size=4, max_size=4)), max_size=4))
def test_any_hierarchy_is_read_in_full_or_refused(prolog, nodes):
    inside = "".join(
        f"<node class='a.B' text='{text}' bounds='[{b[0]},{b[1]}][{b[2]},{b[3]}]'>"
        for text, b in nodes
    )
    xml = f"{prolog}<hierarchy>{inside}{'</node>' * len(nodes)}</hierarchy>"
    screen = Screen(xml, b"")
    try:
        elements = screen.elements
    except ScreenError:
        return
    assert [len(element.children) for element in elements] == ([1] * len(nodes) + [0])[1:]
    assert screen.find_all(xpath="//node") == screen.find_all(xpath="//a.B") == list(elements)
    assert parse(xml) == screen.root
    for element in elements:
        element.text.encode()
        assert element.bounds.width >= 0
        assert element.describe().startswith("<B ") or not element.text
