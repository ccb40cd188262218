"""AndroidWorld's 116 tasks, as its own classes set them up and score them (docs/suites.md)."""

import pytest

from pytest_mobileagent import tasks

from .library import LACKING, LIBRARY, is_named
from .table import ROWS, SOURCE, fields

pytestmark = pytest.mark.skipif(not is_named(), reason=LACKING)


def prepare(device, id, goal, instance):
    LIBRARY.prepare(device, id, goal, *instance)


def score(device, answer):
    return LIBRARY.score(answer)


def tear_down(device):
    LIBRARY.tear_down()


@tasks(
    ROWS,
    each=fields(),
    prepare=prepare,
    measures={"score": score},
    clean_up=tear_down,
    source=SOURCE,
)
def test_android_world(episode, row):
    assert episode.probe("score") == 1
