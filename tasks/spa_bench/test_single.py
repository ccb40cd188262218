"""SPA-Bench's 300 tasks in one app: 150 in English, 150 in Chinese, three levels to a set."""

from functools import partial

import pytest

from pytest_mobileagent import rows, tasks

pytest.register_assert_rewrite(f"{__package__}.checks", f"{__package__}.planning")

from .release import official  # noqa: E402 - after that, so that failures say what was not so
from .table import SOURCE, decide, opened, single  # noqa: E402

ENGLISH = rows("single_en.csv", wording=partial(official, "en"))
CHINESE = rows("single_zh.csv", wording=partial(official, "zh"))
COMMON = {"source": SOURCE, "prepare": opened, "success_after_error": True}


@tasks(ENGLISH, each=single(ENGLISH), **COMMON)
def test_english(episode, row, judge):
    decide(episode, row, judge)


@tasks(CHINESE, each=single(CHINESE), **COMMON)
def test_chinese(episode, row, judge):
    decide(episode, row, judge)
