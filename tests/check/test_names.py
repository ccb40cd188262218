"""Tests of the names that `check` offers to authors of tasks."""

import subprocess
import sys

import pytest

from pytest_mobileagent import check


@pytest.mark.parametrize("name", check.__all__)
def test_every_name_is_documented(name):
    assert getattr(check, name).__doc__


def test_names_are_imported_lazily():
    code = (
        "import sys\n"
        "from pytest_mobileagent import check\n"
        "assert not [name for name in sys.modules if name.startswith(check.__name__ + '.')]\n"
        "check.odyssey\n"
        "assert not {'rapidfuzz', 'numpy', 'cv2', 'lxml'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
