"""The ini key mobile_pack_screens: whether the screens of large runs are packed."""

import pytest


@pytest.mark.parametrize("value", ["true", "false"])
def test_screens_are_packed_only_if_the_project_wants_it(
    pytester: pytest.Pytester, value: str
) -> None:
    pytester.makeconftest("""
def pytest_report_header(config):
    return f"packs: {config.pluginmanager.has_plugin('mobileagent-packing')}"
""")
    told = pytester.runpytest("--agent=noop", "-o", f"mobile_pack_screens={value}")
    told.stdout.fnmatch_lines([f"*packs: {value.title()}*"])
