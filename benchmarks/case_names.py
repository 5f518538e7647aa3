"""Fields of a case under the names that collectors and launch files give them, brought to one name each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

NAMES: dict[str, str] = {
    "seq_len": "seq_length sequence_length sequence_len cutoff_len max_length max_seq_len max_seq_length model_max_length block_size source_max_len train_len",
    "context": "context_length context_len max_model_len num_ctx n_ctx ctx ctx_size max_context",
    "micro_batch": "batch_size micro_batch_size per_device_batch per_device_batch_size per_device_train_batch_size train_batch_size batch_per_gpu bs",
    "grad_accum": "gradient_accumulation gradient_accumulation_steps grad_accum_steps accumulation accumulate_grad_batches",
    "gpu": "gpus card cards_name device accelerator npu hardware",
    "gpu_count": "n_gpus num_gpus gpu_number cards npu_count",
    "gpu_memory_gb": "vram_gb gpu_mem_gb gpu_memory_gib vram_gib npu_memory_gb memory_per_gpu_gb gpu_memory_per_card_gb",
    "gpu_memory_mib": "vram_mib gpu_mem_mib memory_total_mib",
    "gpu_memory": "vram gpu_mem",
    "host_ram_gb": "ram_gb cpu_ram_gb system_ram_gb host_memory_gb host_ram_gib host_memory_gib cpu_memory_gb host_ram system_ram ram",
    "dataloader_workers": "num_workers workers loader_workers data_workers",
    "cpu_cores": "cpus cores cpu_count physical_cores vcpus",
    "storage": "disk data_storage dataset_storage data_disk filesystem",
    "tensor_parallel": "tensor_parallel_size tp tp_size tensor_model_parallel_size",
    "pipeline_parallel": "pipeline_parallel_size pp pp_size pipeline_model_parallel_size",
    "sequence_parallel": "sp sp_size context_parallel context_parallel_size cp cp_size ulysses ulysses_size sequence_parallel_size",
    "expert_parallel": "ep ep_size expert_parallel_size enable_expert_parallel",
    "data_parallel": "dp dp_size data_parallel_size",
    "lora_rank": "rank lora_r adapter_rank",
    "concurrency": "concurrent_requests parallel_requests num_seqs max_num_seqs users concurrent_users n_parallel",
    "gradient_checkpointing": "activation_checkpointing checkpointing recompute activation_recomputation",
    "kv_precision": "kv_cache_dtype kv_dtype cache_type kv_cache_precision kv_bits",
    "gpu_memory_utilization": "mem_fraction_static memory_utilization gpu_memory_utilisation",
    "prefill_tokens": "max_num_batched_tokens prefill_chunk max_prefill_tokens chunked_prefill_tokens",
    "attention": "attn attn_impl attn_implementation flash_attn flash_attention",
    "buy_usd": "price_usd purchase_usd hardware_usd card_price_usd buy_eur price_eur purchase_eur hardware_eur build_usd build_eur capex_usd",
    "rent_usd_h": "rent_eur_h rent_usd_per_h rent_usd_per_hour rent_usd_hour cloud_usd_h usd_h usd_per_h eur_h "
    "price_usd_per_h price_usd_h price_eur_per_h price_eur_h",
    "rent_usd_month": "price_usd_per_month rent_eur_month cloud_usd_month usd_month price_eur_per_month",
    "utilisation_pct": "utilization_pct usage_pct duty_pct",
    "horizon_years": "years period_years lifetime_years depreciation_years amortization_years",
    "horizon_months": "months period_months lifetime_months",
    "electricity_usd_kwh": "electricity_eur_kwh power_usd_kwh kwh_usd kwh_eur electricity_price",
    "gpu_util_pct": "gpu_utilization_pct gpu_utilisation_pct gpu_usage_pct gpu_util util_pct",
    "cpu_util_pct": "cpu_utilization_pct cpu_usage_pct cpu_pct",
    "temp_c": "temperature_c gpu_temp_c temp temperature temp_c_max max_temp_c",
}
"""Name that is read, with others that mean it."""

_ONE = {other: name for name, others in NAMES.items() for other in others.split()}


def canonical(fields: Mapping[str, Any]) -> dict[str, Any]:
    """`fields` under the names that are read; a name that is read stays before others that mean it."""
    found: dict[str, Any] = {k: v for k, v in fields.items() if k not in _ONE}
    for key, value in fields.items():
        if key == "gpus" and isinstance(value, int):
            found.setdefault("gpu_count", value)
        elif key in _ONE:
            found.setdefault(_ONE[key], f"{value} GiB" if key.endswith("_gib") and isinstance(value, int | float) else value)
    return found


def serving(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Lengths and batches of a case that serves: they are of contexts and of sequences in flight."""
    found = dict(fields)
    for name, meant in (("seq_len", "context"), ("batch", "concurrency"), ("micro_batch", "concurrency"), ("max_batch", "concurrency")):
        if name in found:
            found.setdefault(meant, found.pop(name))
    return found


def numbers(text: object) -> list[float]:
    """The numbers of a list or text, a dash between two being a range: `0-90, mostly 0`, `[50, 70]`, `about 35`."""
    if isinstance(text, list):
        return [float(v) for v in text if isinstance(v, int | float)]
    return [float(n) for n in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", str(text))]
