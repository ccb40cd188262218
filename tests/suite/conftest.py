"""The fixtures of the virtual phone's own tests, for what the suite's tasks do to phones."""

from tests.virtual.conftest import booted, phone, sh, shell  # noqa: F401 - fixtures
