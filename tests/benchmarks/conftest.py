"""The benchmarks are scripts: their folder is put where `import by_hand` finds it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
