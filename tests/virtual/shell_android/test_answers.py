"""What Android's commands print, according to `answers.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.virtual.answers import answers, differences

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.virtual.conftest import Ran


@pytest.mark.parametrize("row", answers(Path(__file__).parent))
def test_answers(row: dict[str, Any], shell: Callable[[str], Ran]) -> None:
    ran = shell(row["run"])
    assert differences(row, ran.out, ran.err, ran.status) == {}
