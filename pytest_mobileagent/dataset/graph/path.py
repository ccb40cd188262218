"""A golden path along recorded pages, whose actions are read from a graph when they are used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, overload

from pytest_mobileagent.errors import GraphError

if TYPE_CHECKING:
    from pytest_mobileagent.action.matching import Golden
    from pytest_mobileagent.dataset.graph.store import Graph


class _Pages(Protocol):
    """A graph, or its writer."""

    def __contains__(self, page: str) -> bool: ...
    def leads(self, source: str, target: str) -> bool: ...


class RecordedPath(Sequence["Golden"]):
    """The golden actions that lead along `pages`, given by their ids, to the last of them.

    Tables with thousands of such tasks take little time and memory, because nothing is read before
    an action is used.
    """

    def __init__(self, graph: Graph, pages: Sequence[str]) -> None:
        self._graph, self.pages = graph, tuple(pages)

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.pages!r}"

    def __len__(self) -> int:
        return len(self.pages) - 1

    @overload
    def __getitem__(self, number: int) -> Golden: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Golden]: ...
    def __getitem__(self, number: int | slice) -> Golden | Sequence[Golden]:
        return self._golden[number]

    @cached_property
    def _golden(self) -> tuple[Golden, ...]:
        """The golden actions.

        Raises:
            GraphError: if the graph lacks one of them.
        """
        if gap := gap_in(self._graph, self.pages):
            raise GraphError(f"{self._graph.folder}: {gap}, on the way to {self.pages[-1]}")
        return tuple(self._graph.step(*step).golden for step in pairwise(self.pages))


def gap_in(graph: _Pages, pages: Sequence[str]) -> str:
    """Return the first page or action along a path that a graph lacks, in words; else ""."""
    for page in pages:
        if page not in graph:
            return f"there is no page {page}"
    for source, target in pairwise(pages):
        if not graph.leads(source, target):
            return f"nothing is recorded that leads from {source} to {target}"
    return ""
