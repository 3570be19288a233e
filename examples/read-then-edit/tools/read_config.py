"""Read the config and keep what it said."""

from __future__ import annotations

import tomllib
from pathlib import Path

text = Path("work/app.toml").read_text(encoding="utf-8")
Path("work/before.txt").write_text(text, encoding="utf-8")
print(f"the greeting is {tomllib.loads(text)['greeting']!r}")
