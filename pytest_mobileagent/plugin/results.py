"""How results travel: from the process that scores to the one that reports, and from run to run.

pytest loads this module in every session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RESULT = "mobile_result"  # the attribute of a report that carries a result through pytest-xdist
IS_KEPT = "mobile_kept"  # set on the reports of a test whose result is from a record

# The entries of report.json that stand for tests which are not run, by node id. Filled in each
# process when it has collected.
KEPT: pytest.StashKey[Mapping[str, Mapping[str, Any]]] = pytest.StashKey()
# The run whose episodes those entries name, and RECORDED, where that is another one than this.
TAKEN_FROM: pytest.StashKey[Path] = pytest.StashKey()
# Where episodes are read from instead of being made: by the keys of their cases.
RECORDED: pytest.StashKey[Mapping[str, Path]] = pytest.StashKey()
