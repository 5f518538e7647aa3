"""Decisions that claims are checked on, and the facts that their sentences share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gpurules

Document = dict[str, Any]
SHARDED = {"parallel.sharding_stage": "full", "parallel.tensor": 1, "parallel.pipeline": 1}
SERVED = {"workload.task": "inference"}
PRICED: dict[str, object] = {
    "gpu.count": 8,
    "gpu.power_limit": "1 kW",
    "host.other_power": "2 kW",
    "site.hosting": "colocation",
    "site.energy_included": "no",
    "site.colocation_price": "200 USD/kW/month",
    "site.electricity_price": "0.1 USD/kWh",
    "site.pue": 1.5,
    "budget.purchase_price": "300000 USD",
    "budget.residual_share": "30 %",
    "budget.staff_cost": "20000 USD/year",
    "budget.downtime_cost": "0 USD/h",
    "budget.rent_price": "2 USD/h",
    "budget.rent_terms": "on_demand",
    "period.horizon": "3 years",
    "period.utilization": "100 %",
}
"""Everything priced: 24,000 a year for colocation and 13,140 for electricity, beside staff, against 140,160 of rent."""


def decide(*parts: Mapping[str, object], **more: object) -> Document:
    """The decision on all the facts together; keywords spell the dot as two underscores."""
    facts: dict[str, object] = {}
    for part in parts:
        facts |= part
    document: Document = gpurules.evaluate(facts | {name.replace("__", "."): value for name, value in more.items()}).document
    return document
