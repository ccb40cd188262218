"""SPA-Bench's 300 single-app tasks: 150 in English, 150 in Chinese, in sets of three levels."""

from functools import partial

from pytest_mobileagent import rows, tasks

from .release import official
from .table import SOURCE, components, decide, opened, single

ENGLISH = rows("single_en.csv", wording=partial(official, "en"))
CHINESE = rows("single_zh.csv", wording=partial(official, "zh"))
COMMON = {"source": SOURCE, "prepare": opened, "success_after_error": True}


@tasks(ENGLISH, each=single(ENGLISH), **COMMON)
def test_english(episode, row, judge):
    decide(episode, row, judge, key_components=components(row))


@tasks(CHINESE, each=single(CHINESE), **COMMON)
def test_chinese(episode, row, judge):
    decide(episode, row, judge, key_components=components(row))
