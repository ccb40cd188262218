"""Makes the virtual phone's fixtures available to the tests of the suite's tasks."""

from tests.virtual.conftest import booted, phone, sh, shell  # noqa: F401 - fixtures
