"""Optional dependencies: the extras of pyproject.toml."""

from __future__ import annotations

from importlib.util import find_spec

from pytest_mobileagent.errors import HostError

# The modules that each extra installs. Nothing is imported to check whether they are present.
MODULES = {
    "virtual": (
        "arabic_reshaper",
        "dateutil",
        "fontpkg_noto_sans_devanagari",
        "h11",
        "isal",
        "justmytype_intl_rtl",
        "paperang_p2_fonts_cjk",
    ),
    "models": ("anthropic", "genai_prices", "h11", "openai", "trustme"),
    "vision": ("cv2", "onnxruntime", "rapidocr"),
    "easyocr": ("easyocr",),
    "appium": ("appium",),
    "gemini": ("google.genai",),
    "mcp": ("mcp",),
    "gym": ("gymnasium",),
    "rollouts": ("gymnasium", "starlette", "uvicorn", "websockets"),
    "ray": ("ray",),
    "grpc": ("grpc", "grpc_tools"),
}


class MissingExtraError(HostError):
    """An extra is not installed; the message says how to install it."""


def how_to_install(*extras: str) -> str:
    """Return the command that installs extras of this package."""
    return f'pip install ".[{",".join(extras)}]" in a checkout of pytest-mobileagent'


def is_installed(extra: str) -> bool:
    """Return whether all modules of an extra are installed."""
    return not _missing(extra)


def _missing(extra: str) -> list[str]:
    return [name for name in MODULES[extra] if not _is_found(name)]


def _is_found(name: str) -> bool:
    package = name.rpartition(".")[0]  # find_spec imports it, and it may be missing, too
    return (not package or _is_found(package)) and find_spec(name) is not None


def check_extra(extra: str, what: str) -> None:
    """Check that an extra is installed before starting `what`, which needs it.

    Raises:
        MissingExtraError: if the extra is not installed.
    """
    if missing := _missing(extra):
        why = f"{what} needs packages that are not installed ({', '.join(missing)})"
        raise MissingExtraError(f"{why}: {how_to_install(extra)}")
