"""`python -m pytest_mobileagent draft-check`: checks of recorded tasks, as a model drafts them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pytest_mobileagent.draft.comparing import compare
from pytest_mobileagent.draft.drafting import Asked, draft_all
from pytest_mobileagent.draft.files import places
from pytest_mobileagent.draft.recorded import recorded_tasks
from pytest_mobileagent.draft.sandbox.kernel import UnavailableError
from pytest_mobileagent.draft.sandbox.run import check_sandbox
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.llm.checks import check_reference
from pytest_mobileagent.llm.models import ModelSettings
from pytest_mobileagent.llm.prices import Prices, load_prices
from pytest_mobileagent.llm.reference import ModelChoice, ModelReference, parse_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
