"""Decisions that claims are checked on, and the facts that their sentences share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gpurules

Document = dict[str, Any]
SHARDED = {"parallel.sharding_stage": "full", "parallel.tensor": 1, "parallel.pipeline": 1}
SERVED = {"workload.task": "inference"}


def decide(*parts: Mapping[str, object], **more: object) -> Document:
    """The decision on all the facts together; keywords spell the dot as two underscores."""
    facts: dict[str, object] = {}
    for part in parts:
        facts |= part
    document: Document = gpurules.evaluate(facts | {name.replace("__", "."): value for name, value in more.items()}).document
    return document
