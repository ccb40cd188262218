"""--mobile-engine: where workers run, and errors reported before anything starts.

Runs on a cluster are tested in tests/fleet.
"""

import sys

import pytest

from pytest_mobileagent.plugin.options import Engine, engine


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("xdist", Engine("xdist")),
        ("ray", Engine("ray")),
        ("ray:auto", Engine("ray", "auto")),
        (" ray:10.0.0.2:6379 ", Engine("ray", "10.0.0.2:6379")),
        ("ray:[fd00::2]:6379,pool=lab", Engine("ray", "[fd00::2]:6379", {"pool": "lab"})),
        ("ray,pool=lab, kind=pixel", Engine("ray", None, {"pool": "lab", "kind": "pixel"})),
    ],
)
def test_an_engine_is_a_name_with_an_address_and_labels(text, meant):
    assert engine(text) == meant


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("dask", "must be xdist, ray, ray:auto or ray:HOST:PORT"),
        ("xdist:auto", "must be xdist, ray"),
        ("ray:", "must be xdist, ray"),
        ("ray:auto,pool", "may end in ,LABEL=VALUE"),
        ("ray:auto,pool=", "labels"),
        ("ray:auto,=lab", "labels"),
        ("xdist,pool=lab", "only machines of a Ray cluster have"),
    ],
)
def test_an_unknown_engine_is_refused_in_one_line(wrong, text, why):
    said = wrong("--mobile-engine", text)
    assert why in said
    assert "\n" not in said


def test_a_missing_ray_is_reported_with_the_command_that_installs_it(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    error = refused("--mobile-engine=ray:auto", "-n2")
    assert (
        "ERROR: --mobile-engine=ray:auto: it needs packages that are not installed (ray): " in error
    )
    assert 'pip install ".[ray]"' in error


def test_the_number_of_workers_is_required(refused):
    error = refused("--mobile-engine=ray:auto")
    assert error == (
        "ERROR: --mobile-engine=ray:auto: give the number of workers: -n N, or -n auto for all "
        "phones\n"
    )


@pytest.mark.parametrize("how", ["--dist=load", "-n1"])
@pytest.mark.parametrize("spec", ["ssh=localhost", "2*socket=localhost:8888"])
def test_workers_that_xdist_would_start_elsewhere_are_refused(refused, how, spec):
    error = refused(how, f"--tx={spec}")
    assert f"ERROR: --tx={spec}: " in error
    assert "--mobile-engine=ray" in error
    assert "--mobile-shard" in error


def test_tests_without_an_agent_may_go_anywhere(project):
    project.pytester.makepyfile(test_plain="def test_nothing(): pass")
    result = project.run("--collect-only", "--dist=load", "--tx=ssh=localhost", "test_plain.py")
    assert result.ret == 0


def test_nothing_is_connected_for_a_list_of_tests(header, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "--mobile-engine=ray:auto (--mobile-engine)" in header("--mobile-engine=ray:auto", "-n2")
