"""Makes a Chromium available to the tests: Playwright's own, else one on the machine, else the system's package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_own() -> bool:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


def main() -> int:
    if find_own():
        return 0
    environment = {**os.environ, "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000"}
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=600, check=False)
        if done.returncode == 0 and find_own():
            return 0
    except subprocess.TimeoutExpired:
        pass
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found:
        return 0
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        for step in (["apt-get", "update"], ["apt-get", "install", "-y", "chromium"]):
            subprocess.run(step, check=True, capture_output=True)
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
