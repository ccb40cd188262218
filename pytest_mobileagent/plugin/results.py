"""How results travel: from the process that scores to the one that reports, and from run to run.

pytest loads this module in every session.
"""

from __future__ import annotations

RESULT = "mobile_result"  # the attribute of a report that carries a result through pytest-xdist
IS_REUSED = "mobile_reused"  # set on the reports of a test whose result is from a record
