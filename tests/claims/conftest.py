"""Tests of claims share how they decide: `claim_decisions`, beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
