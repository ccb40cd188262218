"""What a device that tasks run on looks like: type, sizes, language, theme, wallpaper, icons."""

from pytest_mobileagent.environment.apply import apply
from pytest_mobileagent.environment.environment import (
    BadEnvironmentError,
    Environment,
    load,
    select,
)

__all__ = ["BadEnvironmentError", "Environment", "apply", "load", "select"]
