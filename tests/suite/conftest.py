"""The fixtures of the virtual phone's tests, for the tests of the suite's tasks."""

from tests.virtual.conftest import booted, phone, sh, shell  # noqa: F401 - fixtures
