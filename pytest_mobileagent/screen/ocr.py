"""Text in pictures, read by an OCR engine on this machine, without a network.

What the engine that comes with the package has read can be kept (see `ocr_store`), as workers,
agents and judges look at the same screens.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.jsonable import expect
from pytest_mobileagent.screen import ocr_store
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from PIL.Image import Image


class MissingModelError(HostError):
    """An OCR engine's model is not on this machine; the text says which file goes where."""


@dataclass(frozen=True, slots=True)
class TextBox:
    """A line of text in a picture.

    `bounds` are pixels of the picture that was read; `confidence` is the engine's own, from 0 to 1.
    """

    text: str
    bounds: Bounds
    confidence: float


class OcrEngine(Protocol):
    """A reader of text in pictures. One instance is used by several threads, one at a time."""

    def read(self, image: Image) -> Sequence[TextBox]:
        """Return the lines of text in a picture, in any order."""


def read_text(image: Image, engine: str | OcrEngine | None = None) -> tuple[TextBox, ...]:
    """Return the lines of text in a picture, from the top down, those side by side from the left.

    `engine` is "rapidocr" (English and Chinese; its models come with the package), "easyocr", or an
    object of your own; if there is none, the one of `use_engine`. It is loaded once in a process,
    when it is first used. Compare what it reads by `text.folded`: engines take full-width
    characters for others, and lose spaces.

    Raises:
        MissingExtraError: the engine's packages are not installed.
        MissingModelError: the engine's models are not there.
        ValueError: there is no engine of this name.
    """
    return _lines(engine or _chosen, lambda: ocr_store.of_pixels(image), lambda: image)


def read_screenshot(
    key: str, image: Callable[[], Image], engine: str | OcrEngine | None = None
) -> tuple[TextBox, ...]:
    """Return what `read_text` does of a screenshot with a `Screen.key`.

    `image` decodes it, which takes longer than all else where its lines are kept: it is called only
    where they are not.

    Raises:
        MissingExtraError, MissingModelError, ValueError: as `read_text`.
    """
    return _lines(engine or _chosen, lambda: key, image)


def _lines(
    engine: str | OcrEngine, name: Callable[[], str], image: Callable[[], Image]
) -> tuple[TextBox, ...]:
    if not isinstance(engine, str):
        return tuple(_in_order(_read(image(), engine)))
    store, reader = ocr_store.chosen_store(), _reader(engine)
    if store is None or reader is None:
        return tuple(_in_order(_read(image(), _loaded(engine))))
    of = name()
    found = _boxes(store.find(of, reader))
    if found is None:
        loaded = _loaded(engine)
        with _reading:
            found = _boxes(store.find(of, reader))  # another thread may just have read it
            if found is None:
                found = loaded.read(image())
                rows = [[box.text, list(box.bounds), box.confidence] for box in found]
                store.keep(of, reader, rows)
    return tuple(_in_order(found))


def use_engine(name: str) -> None:
    """Read by this engine in this process wherever none is named: the user's `--mobile-ocr`.

    Raises:
        ValueError: there is no engine of this name.
    """
    global _chosen  # noqa: PLW0603 - an option of the process
    _check_name(name)
    _chosen = name


class RapidOcr:
    """RapidOCR with the models inside its package: PP-OCR, English and Chinese.

    `threads` is how many processors one reading may keep busy; by default two, or one where
    pytest-xdist's workers share the processors: waiting for each other, threads keep them busy for
    nothing. Text that stands upside down is not recognised: screens have none, and looking for it
    takes time.

    Raises:
        MissingExtraError: its packages are not installed.
    """

    def __init__(self, threads: int | None = None) -> None:
        check_extra("vision", "reading text in pictures")
        from rapidocr import RapidOCR  # a heavy library is loaded by who needs it

        self._read = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_cls": False,
                # By default, small pictures are made large, and thin ones enormous.
                "Det.limit_type": "max",
                "Det.limit_side_len": 2000,
                "EngineConfig.onnxruntime.intra_op_num_threads": threads or _threads(),
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def read(self, image: Image) -> list[TextBox]:
        """Return the lines of text in a picture."""
        import numpy as np

        # The engine takes arrays for BGR, and fails at pictures that are hardly more than a line.
        found: Any = self._read(np.asarray(_padded(image))[:, :, ::-1])
        if found.boxes is None or found.txts is None:
            return []
        lines = zip(found.boxes, found.txts, found.scores, strict=True)
        return [_text_box(corners, text, score, image.size) for corners, text, score in lines]


class EasyOcr:
    """EasyOCR, whose models have to be on this machine already: nothing is downloaded.

    `languages` are EasyOCR's codes; `models` is the folder with the models, EasyOCR's own
    (`~/.EasyOCR/model`, or what EASYOCR_MODULE_PATH says) if there is none.

    Raises:
        MissingExtraError: its packages are not installed.
        MissingModelError: a model is not in the folder.
        HostError: its packages are incompatible with each other.
    """

    def __init__(
        self,
        languages: Sequence[str] = ("ch_sim", "en"),
        models: Path | None = None,
        **options: Any,
    ) -> None:
        check_extra("easyocr", "reading text in pictures with easyocr")
        try:
            import easyocr
        except (ImportError, OSError, RuntimeError) as error:
            msg = f"easyocr cannot be loaded, mostly as torch and torchvision do not fit: {error}"
            raise HostError(msg) from error
        folder = models or Path(easyocr.config.MODULE_PATH) / "model"
        try:
            self._reader = easyocr.Reader(
                list(languages),
                gpu=False,
                # Where it may download, it deletes a file that is not as it expects.
                download_enabled=False,
                model_storage_directory=str(folder),
                # Torch is about to drop this way to make models smaller, and warns of it.
                quantize=False,
                verbose=False,
                **options,
            )
        except FileNotFoundError as error:
            msg = (
                f"easyocr has no model for {', '.join(languages)}, and none is downloaded during a "
                f"run: {error}. Put the file there: https://www.jaided.ai/easyocr/modelhub/ has "
                f"craft_mlt_25k.pth, which finds text, and one file for each group of languages"
            )
            raise MissingModelError(msg) from error

    def read(self, image: Image) -> list[TextBox]:
        """Return the lines of text in a picture."""
        import numpy as np

        found: Iterable[Any] = self._reader.readtext(np.asarray(image.convert("RGB")))
        return [_text_box(corners, text, score, image.size) for corners, text, score in found]


ENGINES: dict[str, Callable[[], OcrEngine]] = {"rapidocr": RapidOcr, "easyocr": EasyOcr}

_FORMAT = 1  # of a result; another one if `RapidOcr` gives its engine other settings

_chosen = "rapidocr"
_engines: dict[str, OcrEngine] = {}
_left_behind: list[dict[str, OcrEngine]] = []
_loading = threading.Lock()
_reading = threading.Lock()  # engines keep settings of a reading in themselves


def _begin_anew() -> None:
    """Let a forked process load engines of its own: the threads of these are not in it.

    They are kept all the same: an engine that ends waits for its threads.
    """
    global _engines, _loading, _reading
    _left_behind.append(_engines)
    _engines, _loading, _reading = {}, threading.Lock(), threading.Lock()


os.register_at_fork(after_in_child=_begin_anew)


def _threads() -> int:
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT") or 1)  # agents' processes have it too
    return 2 if 2 * workers <= (os.cpu_count() or 1) else 1


def _check_name(name: str) -> None:
    if name not in ENGINES:
        msg = f"there is no OCR engine {name!r} (engines: {', '.join(ENGINES)})"
        raise ValueError(msg)


def _loaded(name: str) -> OcrEngine:
    _check_name(name)
    with _loading:
        if name not in _engines:
            _engines[name] = ENGINES[name]()
        return _engines[name]


def _read(image: Image, engine: OcrEngine) -> Sequence[TextBox]:
    with _reading:
        return engine.read(image)


def _reader(engine: str) -> list[Any] | None:
    """Return what the lines depend on besides the picture; None if it is not known.

    The models of other engines are files of the user, which may change.
    """
    if engine != "rapidocr":
        return None
    try:
        versions = [metadata.version(name) for name in ("rapidocr", "onnxruntime")]
    except metadata.PackageNotFoundError:
        return None
    return [_FORMAT, engine, *versions]


def _boxes(rows: Any) -> Sequence[TextBox] | None:
    """Return lines that were kept; None if there are none, or what is there is no such thing."""
    try:
        return [
            TextBox(expect(text, str, "a text"), Bounds(*map(int, bounds)), float(confidence))
            for text, bounds, confidence in expect(rows, list, "lines")
        ]
    except (ValueError, TypeError):
        return None


def _in_order(boxes: Iterable[TextBox]) -> Iterable[TextBox]:
    """Yield boxes row by row: a row is what has its middle beside the row's first box."""
    row: list[TextBox] = []
    for box in sorted(boxes, key=lambda each: (each.bounds.center[1], each.bounds.left)):
        if row and box.bounds.center[1] >= row[0].bounds.bottom:
            yield from sorted(row, key=lambda each: each.bounds.left)
            row = []
        row.append(box)
    yield from sorted(row, key=lambda each: each.bounds.left)


def _padded(image: Image) -> Image:
    """Return the picture with white at its right or bottom, if it is very thin."""
    from PIL import Image as image_

    least = max(32, max(image.size) // 30)
    size = max(image.width, least), max(image.height, least)
    if size == image.size:
        return image.convert("RGB")
    padded = image_.new("RGB", size, "white")
    padded.paste(image)
    return padded


def _text_box(corners: Any, text: str, score: float, size: tuple[int, int]) -> TextBox:
    """Return a line whose box has four corners, as upright bounds inside the picture."""
    columns = [min(max(float(x), 0), size[0]) for x, _ in corners]
    rows = [min(max(float(y), 0), size[1]) for _, y in corners]
    bounds = Bounds(round(min(columns)), round(min(rows)), round(max(columns)), round(max(rows)))
    return TextBox(text, bounds, float(score))
