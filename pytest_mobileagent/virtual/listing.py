"""Lists the packages of a phone with the apps of some folders, without booting one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.app.loading import BrokenApp, load_apps
from pytest_mobileagent.virtual.image.packages import IMAGE

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(folders: Sequence[str]) -> int:
    """Print the packages as a JSON list; the exit status is 1 if an app is broken."""
    try:
        apps = [app for folder in folders for app in load_apps(Path(folder))]
    except (OSError, BrokenApp) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(json.dumps(sorted({app.package for app in (*IMAGE, *apps)})))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
