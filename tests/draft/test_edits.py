"""Tests of counting the lines of code that people changed in drafts (A3, Table 2)."""

import pytest

from pytest_mobileagent.draft.edits import Edits, compared, drafted_files, edits_of
from pytest_mobileagent.errors import RecordError

DRAFT = '''\
# Drafted by a model.
import re

TOTAL = "12"


def test_it(episode):
    """What it is about."""
    total = episode.screen.get(resource_id="total")
    assert TOTAL in total.text
    assert episode.answers(TOTAL)
'''
LINES = 5  # the constant, the function's header and three statements


def edited(folder, text):
    path = folder / "test_it.py"
    path.with_name("test_it.py.draft").write_text(DRAFT)
    if text is not None:
        path.write_text(text)
    return edits_of(path)


NO_CHANGES = {
    "nothing": ("", ""),
    "a comment": ("# Drafted by a model.\n", ""),
    "a docstring": ("What it is", "All that this is"),
    "no docstring": ('    """What it is about."""\n', ""),
    "the name": ("def test_it", "def test_total"),
    "a decorator": ("def test_it", '@task("How much?", app="x")\ndef test_it'),
    "imports": ("import re\n", "from pytest_mobileagent import task\n"),
    "layout": ('get(resource_id="total")', "get(\n  resource_id='total'\n)"),
    "another test": ("import re\n", "def test_other(episode):\n    assert episode.screen\n"),
    "a constant that is not used": ("import re\n", 'OTHER = "unused"\n'),
}


@pytest.mark.parametrize(("old", "new"), NO_CHANGES.values(), ids=NO_CHANGES)
def test_edits_that_do_not_change_the_check_do_not_count(tmp_path, old, new):
    found = edited(tmp_path, DRAFT.replace(old, new) if old else DRAFT)
    assert found == Edits(tmp_path / "test_it.py", LINES, 0, 0)
    assert found.is_right


@pytest.mark.parametrize(
    ("text", "wrong", "added"),
    [
        (DRAFT.replace('"12"', '"13"'), 1, 1),
        (DRAFT.replace("    assert episode.answers(TOTAL)\n", ""), 1, 0),
        (DRAFT + "    assert episode.opened('x')\n", 0, 1),
        (DRAFT.replace("TOTAL in total.text", "total.text"), 1, 1),
        ("def test_it(episode):\n    assert episode.answer\n", 4, 1),
        ("def test_a(episode): pass\ndef test_b(episode): pass\n", LINES, 0),
        ("", LINES, 0),
        (None, LINES, 0),
    ],
)
def test_lines_that_are_gone_or_new_count(tmp_path, text, wrong, added):
    found = edited(tmp_path, text)
    assert (found.lines, found.wrong, found.added) == (LINES, wrong, added)
    assert not found.is_right


def test_files_that_are_no_drafts_are_named(tmp_path):
    path = tmp_path / "test_it.py"
    path.write_text(DRAFT)
    with pytest.raises(RecordError, match=r"cannot read .*test_it.py.draft: No such file"):
        edits_of(path)
    path.with_name("test_it.py.draft").write_text("x = 1")
    with pytest.raises(RecordError, match="has 0 test functions, not one"):
        edits_of(path)
    path.with_name("test_it.py.draft").write_text(DRAFT)
    path.write_text("def test_it(")
    with pytest.raises(RecordError, match=r"test_it\.py is not valid Python"):
        edits_of(path)


def test_a_folder_stands_for_all_drafts_in_it(tmp_path):
    for name in ("a/test_x.py", "test_y.py", "test_z.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
        if "z" not in name:
            path.with_name(path.name + ".draft").write_text(DRAFT)
    found = [str(path.relative_to(tmp_path)) for path in drafted_files([tmp_path])]
    assert found == ["a/test_x.py", "test_y.py"]
    assert list(drafted_files([tmp_path / "test_y.py.draft"])) == [tmp_path / "test_y.py"]


def test_the_shares_of_a3s_table_have_intervals(tmp_path):
    edits = [Edits(tmp_path / "a.py", 10, 0, 0)] + [Edits(tmp_path / "b.py", 10, 4, 2)] * 3
    lines = list(compared(edits))
    assert lines[1].split()[1:] == ["10", "0", "0", "right", "as", "drafted"]
    # Wilson's intervals for 1/4 and 12/40.
    assert lines[-3:] == [
        "functions right as drafted  1/4 25% (5%-70%)",
        "lines wrong                 12/40 30% (18%-45%)",
        "lines added                 6",
    ]
