"""Compound commands: lists, conditions, loops, pipelines and background jobs."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.virtual.shell import expand, patterns
from pytest_mobileagent.virtual.shell.condition import Condition, ConditionError, Operand
from pytest_mobileagent.virtual.shell.errors import LeaveLoop, ShellError
from pytest_mobileagent.virtual.shell.execution import Node
from pytest_mobileagent.virtual.shell.expand import Text
from pytest_mobileagent.virtual.shell.processes import OUT_OF_TIME, OutOfTime, metered, processes_of
from pytest_mobileagent.virtual.shell.session import Bytes, Pipe
from pytest_mobileagent.virtual.shell.simple import Redirected, Simple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.virtual.shell.execution import Shell
    from pytest_mobileagent.virtual.shell.expand import Word


@dataclass(frozen=True, slots=True)
class Script(Node):
    """Commands in sequence."""

    commands: Sequence[Node]

    async def execute(self, shell: Shell) -> int:
        """Execute all commands; the status is that of the last one."""
        status = 0
        for command in self.commands:
            status = await shell.execute(command)
        return status


@dataclass(frozen=True, slots=True)
class AndOr(Node):
    """`a && b || c`: the first command, and the others with their operators."""

    first: Node
    rest: Sequence[tuple[str, Node]]

    async def execute(self, shell: Shell) -> int:
        """Execute the chain; under `set -e`, only a failure of its last command counts."""
        for at, (operator, command) in enumerate([("", self.first), *self.rest]):
            if operator and (shell.status == 0) != (operator == "&&"):
                continue
            if at < len(self.rest):
                await shell.succeeds(command)
            else:
                await shell.execute(command)
        return shell.status


@dataclass(frozen=True, slots=True)
class Not(Node):
    """`! command`."""

    command: Node

    async def execute(self, shell: Shell) -> int:
        """Fail if the command succeeds."""
        return int(await shell.succeeds(self.command))


@dataclass(frozen=True, slots=True)
class Subshell(Node):
    """`( script )`."""

    body: Node
    fatal: ClassVar[bool] = True

    async def execute(self, shell: Shell) -> int:
        """Execute commands in a copy of the shell."""
        twin = shell.twin()
        return await twin.complete(twin.execute(self.body))


@dataclass(frozen=True, slots=True)
class Let(Node):
    """`((expression))`."""

    expression: Word

    async def execute(self, shell: Shell) -> int:
        """Evaluate the expression; zero counts as failure."""
        return int(shell.evaluate(await expand.text(shell, self.expression)) == 0)


@dataclass(frozen=True, slots=True)
class Test(Node):
    """`[[ words ]]`: words are not split, and the right side of `==` is a pattern."""

    words: Sequence[Word]
    fatal: ClassVar[bool] = True

    async def execute(self, shell: Shell) -> int:
        """Succeed if the condition holds."""
        words: list[Operand] = []
        for word in self.words:
            literal = len(word) == 1 and isinstance(word[0], Text) and not word[0].quoted
            compared = bool(words) and words[-1].is_one_of("=", "==", "!=")
            pattern = await expand.pattern(shell, word) if compared else None
            words.append(Operand(await expand.text(shell, word), literal, pattern))
        try:
            return int(not Condition(words, shell, shell.files).holds())
        except ConditionError as error:
            raise ShellError(f"[[: {error}", 2) from None


@dataclass(frozen=True, slots=True)
class Function(Node):
    """`name() body`."""

    name: str
    body: Node

    async def execute(self, shell: Shell) -> int:
        """Define the function."""
        shell.functions[self.name] = self.body
        return 0


@dataclass(frozen=True, slots=True)
class If(Node):
    """`if condition; then body; elif ...; else otherwise; fi`."""

    branches: Sequence[tuple[Node, Node]]
    otherwise: Node | None

    async def execute(self, shell: Shell) -> int:
        """Execute the first branch whose condition succeeds."""
        for condition, body in self.branches:
            if await shell.succeeds(condition):
                return await shell.execute(body)
        return await shell.execute(self.otherwise) if self.otherwise else 0


@dataclass(frozen=True, slots=True)
class Case(Node):
    """`case word in pattern|pattern) body;; esac`."""

    word: Word
    arms: Sequence[tuple[Sequence[Word], Node]]

    async def execute(self, shell: Shell) -> int:
        """Execute the arm with the first pattern that matches."""
        word = await expand.text(shell, self.word)
        for alternatives, body in self.arms:
            for alternative in alternatives:
                if patterns.matches(await expand.pattern(shell, alternative), word):
                    return await shell.execute(body)
        return 0


@dataclass(frozen=True, slots=True)
class Loop(Node):
    """`while condition; do body; done`; an until-loop runs while the condition fails."""

    condition: Node
    body: Node
    until: bool

    async def execute(self, shell: Shell) -> int:
        """Execute the body repeatedly."""
        status = 0
        with _looping(shell):
            while await shell.succeeds(self.condition) != self.until:
                status = await _turn(shell, self.body)
        return status


@dataclass(frozen=True, slots=True)
class For(Node):
    """`for name in words; do body; done`; without words, over the positional parameters."""

    name: str
    words: Sequence[Word] | None
    body: Node

    async def execute(self, shell: Shell) -> int:
        """Execute the body for each word."""
        status = 0
        words = shell.arguments if self.words is None else await expand.fields(shell, self.words)
        with _looping(shell):
            for word in list(words):
                shell.assign(self.name, word)
                status = await _turn(shell, self.body)
        return status


@contextmanager
def _looping(shell: Shell) -> Iterator[None]:
    """Count a loop within the context; a break ends it, and optionally the loops around it."""
    shell.loops += 1
    try:
        yield
    except LeaveLoop as leaving:
        if leaving.levels > 1:
            raise LeaveLoop(leaving.levels - 1, again=leaving.again) from None
    finally:
        shell.loops -= 1


async def _turn(shell: Shell, body: Node) -> int:
    """Execute a loop's body once, letting other tasks run before."""
    await asyncio.sleep(0)
    try:
        return await shell.execute(body)
    except LeaveLoop as leaving:
        if not leaving.again or leaving.levels > 1:
            raise
        return 0


@dataclass(frozen=True, slots=True)
class Pipeline(Node):
    """`a | b`."""

    commands: Sequence[Node]
    fatal: ClassVar[bool] = True

    async def execute(self, shell: Shell) -> int:
        """Execute commands of which each reads the output of the previous one."""
        async with AsyncExitStack() as stack:
            for _ in self.commands:
                stack.enter_context(processes_of(shell.phone).fork())
            group = await stack.enter_async_context(asyncio.TaskGroup())
            source: Pipe | None = None
            for command in self.commands:
                goal = Pipe() if command is not self.commands[-1] else None
                last = group.create_task(_stage(shell, command, source, goal))
                source = goal
        return last.result()


async def _stage(shell: Shell, command: Node, source: Pipe | None, goal: Pipe | None) -> int:
    """Execute a command of a pipeline; its neighbours are notified when it ends."""
    twin = shell.twin(stdin=source, stdout=goal)
    try:
        return await metered(twin.complete(twin.execute(command)))
    except OutOfTime:
        return OUT_OF_TIME
    finally:
        if source:
            source.close_read()
        if goal:
            await goal.close_write()


@dataclass(frozen=True, slots=True)
class Background(Node):
    """`a &`."""

    command: Node

    async def execute(self, shell: Shell) -> int:
        """Start a job; without a terminal, it must not take the input of the following commands."""
        twin = shell.twin(stdin=None if shell.session.tty else Bytes(b""))
        processes = processes_of(shell.phone)
        stack = ExitStack()
        stack.enter_context(processes.fork())
        process = processes.start([shell.name], shell.session.uid, shell.pid)
        twin.adoptable = process if isinstance(self.command, Simple) else None
        stack.callback(processes.end, process)
        shell.started.add(process)
        stack.callback(shell.started.discard, process)
        inner = twin.execute(self.command)
        work = twin.complete(inner)
        stack.callback(inner.close)  # for a job that a hang-up ends before it has started
        stack.callback(work.close)
        process.task = task = asyncio.create_task(processes.run(process, work))
        task.add_done_callback(lambda _: stack.close())
        shell.last_job = process.pid
        shell.jobs[process.pid] = task
        if not _writes_elsewhere(self.command):
            shell.attached.add(task)
            stack.callback(shell.attached.discard, task)
        await asyncio.sleep(0)  # a task that has not started cannot tell a signal from a hang-up
        return 0


def _writes_elsewhere(node: Node) -> bool:
    """Return whether a job keeps none of its shell's output open, so nothing waits for it."""
    if not isinstance(node, Simple | Redirected):
        return False
    numbers = {each.fd for each in node.redirects}
    return {1, 2} <= numbers or any(each.operator == "&>" for each in node.redirects)
