"""Files recorded by remote workers arrive in the run's folder unchanged, and only once.

Neither the relay nor the mirror needs Ray, so here they communicate without it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import append_line, write_bytes, write_text
from pytest_mobileagent.llm.budget import Expenditure
from pytest_mobileagent.plugin.engine.ray.relay import Mirror, Parcel, Relay, Way, new_lines_of, put
from pytest_mobileagent.run.folder import RunFolder

SCREEN, OTHER = (f"screens/{letter * 32}.png" for letter in "ab")


class Machine:
    """A worker's machine: its folder, the parcels it sends, and what it spends."""

    def __init__(self, folder: Path, relay: Relay, name: str) -> None:
        folder.mkdir()
        self.folder, self.relay, self.name = folder, relay, name
        self.sent: list[Parcel] = []
        self.mirror = Mirror(folder, lambda names: asyncio.run(relay.missing(names)))

    def write(self, name: str, content: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, content)

    def append(self, name: str, line: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        append_line(path, line)

    def send(self, *events: object) -> bool:
        """Send what is new; return whether the relay accepts it."""
        parcels = list(self.mirror.parcels())
        self.sent += parcels
        return asyncio.run(self.relay.hear(self.name, parcels, events))

    def spent(self) -> Expenditure:
        """Report what this machine has spent; return the total of all machines."""
        lines = new_lines_of(str(self.folder), "spent.jsonl", 0)
        return asyncio.run(self.relay.spent(self.name, lines))


@pytest.fixture
def run(tmp_path) -> RunFolder:
    return RunFolder(tmp_path / "runs" / "one", "one", "now")


@pytest.fixture
def relay(run) -> Relay:
    return Relay(run)


@pytest.fixture
def machines(tmp_path, relay) -> list[Machine]:
    return [Machine(tmp_path / name, relay, name) for name in ("gw0", "gw1")]


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_folder_is_mirrored_unchanged_at_any_time(run, machines):
    machine, _ = machines
    machine.write(SCREEN, b"\x89PNG")
    machine.append("episodes/t.0/steps.jsonl", '{"step": 0}')
    machine.send()
    assert files(run.path) == files(machine.folder)
    machine.append("episodes/t.0/steps.jsonl", '{"step": 1}')
    machine.write("episodes/t.0/attempt.json", b'{"end": "cut off"}')
    (machine.folder / "episodes/t.0/0.png").symlink_to("../../" + SCREEN)
    machine.send()
    machine.write("episodes/t.0/attempt.json", b'{"end": "played"}')  # of another length: replaced
    machine.send()
    assert files(run.path) == files(machine.folder)
    assert str((run.path / "episodes/t.0/0.png").readlink()) == "../../" + SCREEN


def test_sent_data_is_not_sent_again(machines):
    machine, _ = machines
    machine.append("episodes/t.0/steps.jsonl", "0" * 1000)
    machine.send()
    machine.append("episodes/t.0/steps.jsonl", "1")
    machine.sent.clear()
    machine.send()
    (parcel,) = machine.sent
    assert (parcel.content, parcel.at) == (b"1\n", 1001)
    machine.sent.clear()
    machine.send()
    assert machine.sent == []


def test_screen_shared_by_two_workers_is_sent_once(machines):
    for machine in machines:
        machine.write(SCREEN, b"\x89PNG")
        machine.send()
    assert [len(machine.sent) for machine in machines] == [1, 0]


def test_screen_is_sent_before_the_step_that_refers_to_it(machines):
    machine, _ = machines
    machine.append("episodes/t.0/steps.jsonl", SCREEN)
    machine.write(SCREEN, b"\x89PNG")
    machine.append("index.jsonl", "t.0")
    machine.send()
    assert [parcel.name for parcel in machine.sent] == [
        SCREEN,
        "episodes/t.0/steps.jsonl",
        "index.jsonl",
    ]


def test_index_contains_lines_of_all_machines(run, machines):
    for number, machine in enumerate(machines * 2):
        machine.append("index.jsonl", str(number))
        machine.send()
    assert (run.path / "index.jsonl").read_text() == "0\n1\n2\n3\n"


def test_spending_is_shared_at_once_and_counted_once(run, machines):
    ours, theirs = machines
    for number in range(4):
        machine = machines[number % 2]
        machine.append("spent.jsonl", "[0.5, 10]")
        assert machine.spent() == Expenditure(0.5 * (number + 1), 10 * (number + 1))
    for machine in (ours, theirs, ours):
        machine.send()  # sends the same lines again, with everything else
        assert machine.spent() == Expenditure(2.0, 40)
    ours.append("spent.jsonl", "[1.5, 2]")
    ours.send()
    assert theirs.spent() == Expenditure(3.5, 42)
    assert (run.path / "spent.jsonl").read_text() == "[0.5, 10]\n" * 4 + "[1.5, 2]\n"


def test_incomplete_line_is_sent_later(run, machines):
    ours, theirs = machines
    for content in (b"[0.5, 10]\n[0.2", b"[0.5, 10]\n[0.25, 5]\n"):
        ours.write("spent.jsonl", content)
        ours.send()
        theirs.append("spent.jsonl", "[1.0, 1]")
        theirs.send()
    assert theirs.spent() == Expenditure(2.75, 17)


def test_spending_before_resumption_counts(run, tmp_path):
    run.make()
    append_line(run.path / "spent.jsonl", "[0.25, 5]")
    assert asyncio.run(Relay(run).spent("gw0", None)) == Expenditure(0.25, 5)


def test_first_worker_to_collect_writes_run_json(run, machines):
    for number, machine in enumerate(machines):
        machine.write("run.json", str(number).encode())
        machine.send()
    assert (run.path / "run.json").read_bytes() == b"0"


def test_resumed_run_json_is_written_once_it_records_the_resumption(run, tmp_path):
    write_text(run.make() / "run.json", "before")
    relay = Relay(run)
    machine = Machine(tmp_path / "gw0", relay, "gw0")
    machine.write("run.json", b"before")
    machine.send()
    machine.write("run.json", b"resumed")
    machine.send()
    assert (run.path / "run.json").read_bytes() == b"resumed"


def test_attempts_are_numbered_across_machines(relay, run):
    numbers = [asyncio.run(relay.number(worker, "t")) for worker in ("gw0", "gw1", "gw0")]
    assert numbers == [0, 1, 2]


def test_nothing_is_accepted_from_a_worker_declared_dead(run, relay, machines):
    machine, _ = machines
    machine.append("episodes/t.0/steps.jsonl", "0")
    assert machine.send("begun")
    asyncio.run(relay.declare_dead("gw0"))
    machine.append("episodes/t.0/steps.jsonl", "1")
    assert not machine.send("done")
    assert (run.path / "episodes/t.0/steps.jsonl").read_text() == "0\n"
    assert asyncio.run(relay.events(0)) == ([], {})
    with pytest.raises(HostError, match="gw0 is not a worker of this run any more"):
        asyncio.run(relay.number("gw0", "t"))
    with pytest.raises(HostError, match="gw0 is not a worker of this run any more"):
        asyncio.run(relay.spent("gw0", None))


def test_events_and_orders_keep_their_order(relay, machines):
    for number in range(3):
        machines[number % 2].send(number)
        asyncio.run(relay.order("gw1", number))
    events, heard = asyncio.run(relay.events(0))
    assert events == [("gw0", 0), ("gw1", 1), ("gw0", 2)]
    assert set(heard) == {"gw0", "gw1"}
    assert asyncio.run(relay.orders("gw1", 0)) == [0, 1, 2]
    assert asyncio.run(relay.orders("gw1", 0)) == []


@pytest.fixture
def earlier(tmp_path) -> Path:
    """An earlier run of two episodes, whose screens are in the run's screen store."""
    folder = tmp_path / "runs" / "earlier"
    (folder / "screens").mkdir(parents=True)
    for name, screen in {"t.0": SCREEN, "u.0": OTHER}.items():
        screens = folder / "episodes" / name / "screens"
        screens.mkdir(parents=True)
        write_text(screens.with_name("episode.jsonl"), f'{{"png": "{Path(screen).stem}"}}\n')
        write_bytes(folder / screen, screen.encode())
        (screens / "000-start.png").symlink_to(f"../../../{screen}")
    return folder


def of_first(folder: Path) -> dict[str, bytes]:
    """Return the files of a run that belong to its first episode."""
    return {n: each for n, each in files(folder).items() if n != OTHER and "u.0" not in n}


def test_earlier_episode_is_copied_between_runs_on_one_machine(run, earlier):
    relay = Relay(run, earlier)
    assert [asyncio.run(relay.take_over("episodes/t.0")) for _ in range(2)] == [True, True]
    assert files(run.path) == of_first(earlier)
    assert not asyncio.run(relay.take_over("episodes/gone.0"))


def test_an_episode_of_an_earlier_run_is_sent_to_its_reader(run, earlier, tmp_path):
    there = tmp_path / "there"
    for parcel in asyncio.run(Relay(run, earlier).earlier("episodes/t.0")):
        put(there, parcel)
    assert files(there) == of_first(earlier)
    assert len(files(there)) == 3
    assert files(run.path) == {}
    assert asyncio.run(Relay(run, earlier).earlier("episodes/gone.0")) == []


@pytest.mark.parametrize("name", ["../earlier/episodes/t.0", "episodes/..", "episodes", "/etc/x"])
def test_only_episodes_of_earlier_runs_can_be_read(run, earlier, name):
    for call in (Relay(run, earlier).earlier(name), Relay(run, earlier).take_over(name)):
        with pytest.raises(HostError, match="is not an episode of an earlier run"):
            asyncio.run(call)
    with pytest.raises(HostError, match="is not an episode of an earlier run"):
        asyncio.run(Relay(run).earlier("episodes/t.0"))


@pytest.mark.parametrize("name", ["../other", "/etc/passwd", "", "episodes/../../other"])
def test_workers_cannot_write_outside_the_run_folder(relay, name):
    with pytest.raises(ValueError, match="is not a file of a run"):
        asyncio.run(relay.hear("gw0", [Parcel(name, Way.WHOLE, b"")], []))
