"""The machine of a case as facts: cards and their memory, nodes, what joins them, power, storage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import case_names
from words import Facts, has

NUMBER = r"\d[\d,]*\.?\d*"


def quantity(value: Any, unit: str = "") -> str:
    """A number, a list of its ends, or a text with a range or bound, with the unit that its field's name has."""
    if isinstance(value, list):
        numbers = [v for v in value if isinstance(v, int | float)]
        return quantity(f"{min(numbers)}..{max(numbers)}" if numbers and min(numbers) != max(numbers) else numbers[0], unit) if numbers else ""
    if isinstance(value, Mapping):
        return quantity(next((v for k, v in value.items() if k in ("usable", "wanted", "limit")), next(iter(value.values()))), unit)
    text = str(value).strip()
    if match := re.fullmatch(rf"({NUMBER})\s*(?:-|\.\.)\s*({NUMBER})", text):
        text = f"{match.group(1)}..{match.group(2)}"
    bound = re.match(r"(>=?|<=?)\s*", text)
    if bound:
        text = f"{bound.group(1)[0]}= {text[bound.end() :]}"
    return text if unit and re.search(r"\d\s*[KMGT]?i?B$|\d\s*(W|kW|%)$", text) else f"{text} {unit}".strip()


def gpu(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts["gpu.name"] = str(value)


def memory(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    """Memory of a card without a name of its unit: a bare number of thousands is what nvidia-smi prints, MiB."""
    text = str(value)
    bare = re.fullmatch(r"\d{4,6}", text)
    facts["gpu.memory_usable" if bare else "gpu.memory_nominal"] = f"{text} MiB" if bare else re.sub(r"(?<=\d)G$", " GB", text)


def count(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts["gpu.count"] = str(value)


def nodes(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts["network.nodes"] = str(value)
    each = fields.get("gpus_per_node")
    if isinstance(each, int) and "gpu_count" not in fields:
        facts["gpu.count"] = str(each * int(value))


def interconnect(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    text = " ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, Mapping) else str(value)
    several = bool(case_names.numbers(fields.get("nodes") or "")) and max(case_names.numbers(fields.get("nodes"))) > 1
    without = re.sub(r"\b(no|without)\s+\w+", " ", text, flags=re.IGNORECASE)
    if several or has(r"infiniband|\bib\b|roce|ethernet|tcp", text):
        plain = re.sub("roce.*", "", without, flags=re.IGNORECASE)
        if has(r"tcp|ethernet|gbe\b|\d ?gbps", plain) or has(r"no infiniband|no ib\b|no rdma|without (infiniband|rdma)", text):
            facts["network.kind"] = "ethernet_tcp"
        elif has(r"roce", without):
            facts["network.kind"] = "roce"
        elif has(r"infiniband|\bib\b", without):
            facts["network.kind"] = "infiniband"
    absent = has(r"no nvlink|without nvlink|nvlink\W+(is |was )?(not|no|off|none|false|inactive|disabled|absent|missing)", text)
    topology = re.search(r"\b(PHB|SYS|PIX|PXB|NODE)\b", text) is not None
    if absent or ((topology or has("pcie", text)) and not has(r"nvlink(?!.*no)", without)):
        facts["interconnect.kind"] = "pcie"
    elif has(r"nvswitch|sxm|hgx", without) or (has("nvlink", without) and fields.get("gpus_per_node", fields.get("gpu_count")) == 8):
        facts["interconnect.kind"] = "nvlink_switch"
    elif has(r"nvlink.{0,12}bridge|bridge.{0,12}nvlink", without):
        facts["interconnect.kind"] = "nvlink_bridge"
    if has(r"p2p\D{0,12}(disabled|off|no\b)|no p2p", text):
        facts["interconnect.peer_to_peer"] = "no"
    if (match := re.search(rf"(?:(\d+) x )?\D{{0,12}}({NUMBER})\s*(?:gb/s|gbps|gbit/s|gbe\b|gb(?:it)? ethernet)", text, re.IGNORECASE)) and several:
        facts["network.bandwidth"] = f"{int(match.group(1) or 1) * float(match.group(2)):g} Gb/s"


def environment(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    if isinstance(value, Mapping) and value.get("p2p_disabled"):
        facts["interconnect.peer_to_peer"] = "no"


POWER = (
    (r"psu|supply", "host.psu_power"), (r"outlet|circuit|line|breaker|ups", "site.circuit_power"), (r"rack", "site.rack_power"),
)  # fmt: skip


def power(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    """Watts by what has or draws them; a line may be written in volts and amperes."""
    if not isinstance(value, Mapping):
        return
    for key, amount in value.items():
        path = next((path for pattern, path in POWER if has(pattern, key)), "")
        volts = re.search(rf"({NUMBER})\s*V\D*({NUMBER})\s*A", str(amount))
        if re.match(r"chosen|recommended|needed|estimated|planned|required|new_", key) or has("count", key):
            continue
        if re.search(r"shutdown|reboot|power_?off|power_?cut|crash|trip|restart", key):
            facts["measured.power_cut"] = "yes" if amount and str(amount) not in ("no", "false", "0") else "no"
        elif path and volts:
            facts[path] = f"{float(volts.group(1)) * float(volts.group(2)):g} W"
        elif path and case_names.numbers(re.sub("[Ww]$", "", str(amount))):
            watts = case_names.numbers(re.sub("[Ww]$", "", str(amount)))
            facts[path] = f"{max(watts):g} {'kW' if key.endswith('kw') else 'W'}"
        elif key in ("tdp_w", "gpu_w", "tgp_w", "board_w", "card_w"):
            facts["gpu.power_limit"] = quantity(amount, "W")
        elif key in ("draw_w", "measured_w", "gpu_draw_w"):
            facts["measured.power"] = quantity(amount, "W")
    if "limit_w" in value and "gpu.power_limit" not in facts:
        facts["gpu.power_limit"] = quantity(value["limit_w"], "W")
    rest = [v for k, v in value.items() if k in ("cpu_w", "rest_w", "host_w", "system_w", "other_w") and isinstance(v, int | float)]
    if rest:
        facts["host.other_power"] = f"{sum(rest)} W"


def storage(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    kinds = (
        ("nfs|network", "nfs"), ("nvme", "nvme"), ("ssd", "sata_ssd"), ("hdd|disk", "disk"), ("s3|object|gcs", "object_store"), ("lustre|gpfs", "parallel_fs"),
    )  # fmt: skip
    for pattern, member in kinds:
        if has(pattern, str(value)):
            facts["storage.kind"] = member
            return


def power_mean(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts["gpu.power_limit"] = quantity(value, "W")
