"""JUnit's XML: cases that pytest itself knows nothing of, and one that it knows too much of."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.junitxml import bin_xml_escape, xml_key  # pytest offers no other way

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_AS_CALLED = {"passed": "passed", "xpassed": "passed", "failed": "failed", "error": "failed"}


def properties(result: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return those fields of a result that are one plain value, as properties of a test case."""
    scalars = (str, int, float, bool)
    shown = {name: value for name, value in result.items() if isinstance(value, scalars)}
    return [(f"mobile_{name}", value) for name, value in shown.items() if name != "nodeid"]


def mend(config: pytest.Config, results: Mapping[str, Mapping[str, Any]]) -> None:
    """Tell of results, by node id, what was found out after their tests were reported."""
    xml = config.stash.get(xml_key, None)
    if xml is None or not results:
        return
    by_identity = {_identity(dict(properties(result))): result for result in results.values()}
    for case in xml.node_reporters_ordered:
        element = case.to_xml()
        told = {each.get("name"): each.get("value") for each in element.iter("property")}
        nodeid = str(getattr(case, "id", "")).partition(" ")[0]  # of one that never finished
        result = by_identity.get(_identity(told)) or results.get(nodeid)
        if result is not None:
            _tell(element, result)
            for each in element.findall("error") if result["success"] is False else ():
                each.tag = "failure"
                xml.stats["error"] -= 1
                xml.stats["failure"] += 1
            case.to_xml = partial(_as_it_is, element)  # type: ignore[method-assign]


def _as_it_is(element: ET.Element) -> ET.Element:
    return element


def _identity(told: Mapping[Any, Any]) -> tuple[str, ...]:
    return tuple(str(told.get(f"mobile_{name}")) for name in ("id", "epoch", "environment"))


def _tell(case: ET.Element, result: Mapping[str, Any]) -> None:
    """Replace the properties of a test case by those of a result."""
    before = case.find("properties")
    if before is None:
        before = ET.Element("properties")
        case.insert(0, before)
    for each in before.findall("property"):
        if str(each.get("name")).startswith("mobile_"):
            before.remove(each)
    for name, value in properties(result):
        ET.SubElement(before, "property", name=name, value=bin_xml_escape(value))


def add_cases(config: pytest.Config, results: Iterable[Mapping[str, Any]]) -> None:
    """Add the cases of results that no worker reported to JUnit's XML, if there is one."""
    xml = config.stash.get(xml_key, None)
    if xml is None:
        return
    for result in results:
        path = result["nodeid"].partition("::")[0]
        outcome = _AS_CALLED.get(result["outcome"], "skipped")
        reason = f"{result['outcome']}: {result['reason']}"
        decided = result["success"] is not None
        for when in ("call" if decided else "setup", "teardown"):
            report = pytest.TestReport(
                nodeid=result["nodeid"],
                location=(path, None, path),
                keywords={},
                outcome="passed" if when == "teardown" else outcome,  # type: ignore[arg-type]
                longrepr=(path, 0, reason) if outcome == "skipped" else reason,
                when=when,
                user_properties=properties(result),
            )
            xml.pytest_runtest_logreport(report)


def finish(config: pytest.Config) -> None:
    """Mend what pytest makes of tasks.

    A repeated task leaves a test case without a name; and what a body raises counts as a failure,
    also where it decides nothing.
    """
    xml = config.stash.get(xml_key, None)
    if xml is None:
        return
    cases = xml.node_reporters_ordered
    cases[:] = [case for case in cases if getattr(case, "attrs", "finished")]
    for case in cases:
        element = case.to_xml()
        about = {each.get("name"): each.get("value") for each in element.iter("property")}
        failures = element.findall("failure") if about.get("mobile_outcome") == "error" else []
        for failure in failures:
            failure.tag = "error"
        xml.stats["failure"] -= len(failures)
        xml.stats["error"] += len(failures)
