"""Change the greeting in the config to the one given."""

from __future__ import annotations

import re
import sys
from pathlib import Path

config = Path("work/app.toml")
text = config.read_text(encoding="utf-8")
changed = re.sub(r'greeting = ".*"', f'greeting = "{sys.argv[1]}"', text)
config.write_text(changed, encoding="utf-8")
print(f"the greeting is now {sys.argv[1]!r}")
