"""Measurements in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys


def apart(program: str, name: str) -> list[float | None]:
    """Two numbers that a process of its own prints; None where it takes too long."""
    command = [sys.executable, program, name]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=600, text=True)
    except subprocess.TimeoutExpired:
        return [None, None]
    numbers: list[float | None] = json.loads(done.stdout)
    return numbers
