"""How a result travels from the process that scores to the one that reports."""

from __future__ import annotations

RESULT = "mobile_result"  # the attribute of a report that carries a result through pytest-xdist
IS_KEPT = "mobile_kept"  # set on the reports of a test whose result is from a record
