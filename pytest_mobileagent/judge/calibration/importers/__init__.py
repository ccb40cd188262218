"""Importers of others' labelled data sets: each is one file, recognised by its content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.judge.calibration.importers import digirl, gui_critic
from pytest_mobileagent.judge.calibration.label import LabelsError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.judge.calibration.label import Labels


class Importer(Protocol):
    """A module that reads one kind of data set."""

    NAME: str

    def fits(self, items: list[Any]) -> bool:
        """Return whether the content of a file is such a data set."""

    def labels(self, items: list[Any], path: Path, *, suspects: bool) -> Labels:
        """Return its labels; `path` is the file's.

        Raises:
            LabelsError: it has none that judges could be asked of.
        """


IMPORTERS: tuple[Importer, ...] = (digirl, gui_critic)


def importer_of(items: list[Any], path: Path) -> Importer:
    """Return the importer that reads a data set.

    Raises:
        LabelsError: there is none.
    """
    for importer in IMPORTERS:
        if importer.fits(items):
            return importer
    known = ", ".join(each.NAME for each in IMPORTERS)
    msg = f"{path} is no data set that is known (there are: {known}), and not a label in each line"
    raise LabelsError(msg)
