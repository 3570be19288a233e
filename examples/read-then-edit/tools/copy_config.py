"""Start from the default config."""

from __future__ import annotations

import shutil
from pathlib import Path

Path("work").mkdir(exist_ok=True)
shutil.copyfile("app.default.toml", "work/app.toml")
print("copied app.default.toml to work/app.toml")
