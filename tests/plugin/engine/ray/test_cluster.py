"""The requirements for a run on a Ray cluster, and the errors if they are not met."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("ray")

from pytest_mobileagent.plugin.engine import ray as engine
from pytest_mobileagent.plugin.engine.ray import cluster as module
from pytest_mobileagent.plugin.engine.ray.cluster import Cluster, ClusterError

HERE, ELSEWHERE = "10.0.0.1", "10.0.0.2"


def machine(address: str, phones: int, **labels: str) -> dict[str, Any]:
    resources = {"phone": float(phones)} if phones else {}
    about = {"Resources": resources, "Labels": labels, "Alive": True}
    return {"NodeManagerAddress": address, **about}


@pytest.fixture
def machines(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The machines that Ray reports; tests add to this list."""
    found: list[dict[str, Any]] = []
    known: Any = SimpleNamespace(
        nodes=lambda: found, util=SimpleNamespace(get_node_ip_address=lambda: HERE)
    )
    monkeypatch.setattr(module, "ray", known)
    monkeypatch.setattr(module, "disconnect", lambda: None)
    return found


def test_only_living_phones_of_chosen_machines_are_counted(machines) -> None:
    dead = {**machine(HERE, 8, pool="lab"), "Alive": False}
    machines += [machine(HERE, 0), machine(HERE, 2, pool="lab"), machine(ELSEWHERE, 4), dead]
    assert Cluster().phones == 6
    assert Cluster({"pool": "lab"}).phones == 2
    Cluster({"pool": "lab"}).check(2)
    with pytest.raises(ClusterError, match=r"-n 3 needs 3 phones, and the machines .* have 2"):
        Cluster({"pool": "lab"}).check(3)


@pytest.mark.parametrize(("address", "phones", "others"), [
    (HERE, 1, False), (ELSEWHERE, 1, True), (ELSEWHERE, 0, False),
])  # fmt: skip
def test_machine_with_other_address_and_phones_is_another_machine(
    machines, address: str, phones: int, others: bool
) -> None:
    machines += [machine(HERE, 1), machine(address, phones)]
    assert Cluster().has_others is others


class Config:
    """The configuration of a two-worker run on a cluster."""

    def __init__(self, *, distribution: str = "load", ini: int = 0, **given: Any) -> None:
        run = SimpleNamespace(workers=2, settings={"mobile-engine": "--mobile-engine=ray"})
        self.stash: Any = {engine.RUN: run, engine._CLUSTER: Cluster()}
        self.option = SimpleNamespace(dist=distribution)
        self.known_args_namespace = SimpleNamespace(dist="no", distload=False)
        self.pluginmanager = SimpleNamespace(register=lambda *_: None)
        self._given = {"dist": distribution, **given}
        self._ini = ini

    def getoption(self, name: str, default: Any = None) -> Any:
        return self._given.get(name, default)

    def getini(self, name: str) -> Any:
        return self._ini


@pytest.fixture
def ask(machines, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Requests a cluster at an address; returns the resulting error."""
    monkeypatch.setattr(engine, "usage_error", lambda _, text: pytest.UsageError(text))

    def ask(address: str, **given: Any) -> str:
        machines.append(machine(address, 2))
        with pytest.raises(pytest.UsageError) as error:
            engine.use_cluster(Config(**given))  # type: ignore[arg-type]
        return str(error.value)

    return ask


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("--reruns", {"reruns": 1}),
        ("--force-reruns", {"force_reruns": 1}),
        ("reruns (of the ini file)", {"ini": 1}),
    ],
)
def test_reruns_on_other_machines_are_refused_by_option_name(ask, option: str, given) -> None:
    error = ask(ELSEWHERE, **given)
    assert error.startswith(f": {option} cannot be used with other machines than this one, ")
    assert "--mobile-retries" in error
    assert "\n" not in error


def test_options_of_pytest_xdist_are_refused(ask) -> None:
    assert "leave out --dist and --tx, and give -n" in ask(HERE, distribution="loadscope")


def test_xdist_is_disabled_if_reruns_stay_on_this_machine(
    machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_mobileagent.plugin.engine.ray import controller

    monkeypatch.setattr(controller, "Controller", lambda *_: "ours")
    machines.append(machine(HERE, 2))
    config: Any = Config(reruns=1)
    registered: list[Any] = []
    config.pluginmanager.register = lambda *each: registered.append(each)
    engine.use_cluster(config)
    assert registered == [("ours", "mobileagent-controller")]
    assert config.option.dist == "no"


@pytest.fixture
def described(tmp_path, monkeypatch) -> tuple[Any, dict[str, str]]:
    """A run, and the digests of one of its tests as a machine with the same code reports them."""
    monkeypatch.setattr(module, "folders", lambda _, what: [tmp_path / what])
    test = tmp_path / "tasks" / "test_it.py"
    for path in (test, tmp_path / "agents" / "mine.py"):
        path.parent.mkdir()
        path.write_text("1")
    config: Any = SimpleNamespace(rootpath=tmp_path)
    config.pluginmanager = SimpleNamespace(get_plugins=set)
    run: Any = SimpleNamespace(config=config)
    session: Any = SimpleNamespace(config=config, items=[SimpleNamespace(path=test)])
    return run, module.about_code(session, run)


def test_same_code_has_no_differences(described):
    run, theirs = described
    assert {"tasks/test_it.py", "the project's agents", "pytest-mobileagent"} <= theirs.keys()
    assert module.differences(run, theirs) == []


@pytest.mark.parametrize(
    ("changed", "named"),
    [("tasks/test_it.py", "tasks/test_it.py"), ("agents/mine.py", "the project's agents")],
)
def test_different_code_is_named(described, tmp_path, changed, named):
    run, theirs = described
    (tmp_path / changed).write_text("2")
    assert module.differences(run, theirs) == [named]


def test_test_file_missing_here_counts_as_different(described, tmp_path):
    run, theirs = described
    (tmp_path / "tasks" / "test_it.py").unlink()
    assert module.differences(run, theirs) == ["tasks/test_it.py"]
