"""The six tasks of MobileAgentBench's appendix, in three apps that need the web.

The paper does not say how they are decided, so judges decide them here.
"""

from pytest_mobileagent import tasks

from .table import ROWS, SOURCE


@tasks([row for row in ROWS if row.tags == "online"], source=SOURCE)
def test_online(episode, row, judge):
    assert judge(episode)
