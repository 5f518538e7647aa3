"""What the sources claim about the machine around the cards, checked on decisions as a user gets them: values, rules and levels,
never the wording. Each test names its claim; a check may add what its sentence implies."""

import re
from typing import Any

import pytest
from claim_decisions import SHARDED, Document, decide

GB, GBIT = 1e9, 1e9 / 8
FULL = {"workload.task": "full_finetune", "training.precision": "bf16_mixed"}
PURE = {"workload.task": "pretrain", "training.precision": "bf16_pure"}
HOST = {"host.cpu_cores": 112, "host.memory": "2 TB", "storage.write_bandwidth": "20 GB/s", "network.nodes": 2, "network.kind": "infiniband"}
H100 = {"gpu.half_tensor_rate": "989 TFLOP/s", "gpu.memory_usable": "80 GB", "gpu.memory_nominal": "80 GB", "interconnect.bandwidth": "900 GB/s"}
BATCH = {"training.micro_batch": 1, "training.sequence_length": 4096}


def advice(document: Document, rule: str, state: str = "certain") -> list[tuple[str, str]]:
    return [(c["level"], c["action"]) for c in document["conclusions"] if c["rule"] == rule and c["kind"] == "advise" and c["state"] == state]


def actions(document: Document, state: str = "certain") -> set[str]:
    return {c["action"] for c in document["conclusions"] if c["kind"] == "advise" and c["state"] == state}


def value(document: Document, fact: str, scale: float = 1) -> Any:
    """Both ends of a derived value, as something that compares approximately."""
    (entry,) = (e for e in document["derived"] if e["fact"] == fact)
    return pytest.approx([entry["value"]["low"] / scale, entry["value"]["high"] / scale], rel=1e-9)


def members(document: Document, fact: str) -> list[str]:
    (entry,) = (e for e in document["derived"] if e["fact"] == fact)
    return list(entry["value"]["members"])


def text(document: Document, rule: str) -> str:
    return str(next(c["text"]["en"] for c in document["conclusions"] if c["rule"] == rule))


def conflicts(document: Document) -> set[str]:
    return {c["id"] for c in document["conflicts"]}


# ---------------------------------------------------------------- data path and host


def test_a20_cores_and_channels_are_sized_for_large_samples() -> None:
    document = decide(PURE, workload__modality="video", workload__sample_size="60 MB", model__size_class="1B", gpu__count=8)
    assert advice(document, "HST-016") == [("recommend", "size_host")]
    assert value(document, "host.cpu_cores_wanted") == [112, 112]
    assert value(document, "host.memory_channels_wanted") == [16, 16]


def test_a21_on_one_card_the_pipeline_comes_first() -> None:
    assert advice(decide(PURE, workload__modality="image", gpu__count=1), "DAT-010") == [("recommend", "feed_card_first")]
    assert advice(decide(PURE, workload__modality="image", gpu__count=2), "DAT-010") == []


def test_a22_on_several_cards_decoding_may_be_taken_over() -> None:
    assert advice(decide(PURE, workload__modality="video", gpu__count=8), "DAT-011") == [("note", "offload_decoding")]
    assert advice(decide(PURE, workload__modality="text", gpu__count=8), "DAT-011") == []


def test_a23_video_loads_the_data_path_more_than_text() -> None:
    wanted = {modality: decide(PURE, workload__modality=modality, workload__sample_size="60 MB", gpu__count=8) for modality in ("text", "video")}
    assert value(wanted["text"], "host.cpu_cores_wanted") == [48, 48]
    assert value(wanted["video"], "host.cpu_cores_wanted") == [112, 112]


@pytest.mark.parametrize(("cores", "found"), [(16, "HST-010"), (47, "HST-010"), (48, "HST-011")])
def test_c08_too_few_cores_for_the_cards(cores: int, found: str) -> None:
    document = decide(FULL, gpu__count=8, host__cpu_cores=cores)
    expected = [("caution", "more_cpu_cores")] if found == "HST-010" else [("note", "keep_part")]
    assert advice(document, found) == expected
    assert advice(document, "HST-011" if found == "HST-010" else "HST-010") == []


def test_c09_host_memory_too_small_with_the_figure_wanted() -> None:
    document = decide(FULL, gpu__count=8, gpu__memory_nominal="80 GB", host__memory="128 GB")
    assert advice(document, "HST-014") == [("caution", "more_host_memory")]
    assert value(document, "host.memory_wanted", GB) == [1280, 1280]
    assert "1,280 GB" in text(document, "HST-014")


def test_c19_one_finding_for_each_of_the_four_good_or_bad() -> None:
    machine = FULL | SHARDED | H100 | BATCH | {"model.size_class": "7B", "gpu.count": 16, "training.micro_batch": 8}
    good = decide(machine, HOST, network__bandwidth="3200 Gb/s")
    for rule in ("HST-011", "HST-015", "STO-012", "NWK-011", "NWK-013"):
        assert advice(good, rule) == [("note", "keep_part")], rule
    poor = {"host.cpu_cores": 16, "host.memory": "128 GB", "storage.write_bandwidth": "0.1 GB/s", "network.kind": "10gbe"}
    bad = decide(machine, HOST, poor, network__bandwidth="10 Gb/s")
    assert {"more_cpu_cores", "more_host_memory", "faster_storage", "rdma_network", "faster_network"} <= actions(bad)


def test_c19_what_is_not_stated_is_asked_for() -> None:
    asked = {q["fact"] for q in decide(FULL, model__size_class="7B", gpu__count=8)["measure_next"]}
    assert {"host.cpu_cores", "host.memory", "storage.write_bandwidth", "network.bandwidth"} <= asked


def test_c31_the_cpu_works_as_parameter_server_and_restoring_takes_time() -> None:
    document = decide(FULL, model__size_class="70B", gpu__count=8, training__offload="optimizer", storage__read_bandwidth="5 GB/s")
    assert advice(document, "HST-017") == [("recommend", "size_host")]
    assert advice(document, "STO-013") == [("note", "plan_restore")]
    assert value(document, "storage.restore_time") == [168, 196]


# ---------------------------------------------------------------- storage


def test_b18_small_files_on_slow_storage() -> None:
    slow = decide(PURE, storage__kind="disk", storage__mean_file_size="100 kB")
    assert advice(slow, "STO-014") == [("recommend", "faster_storage"), ("recommend", "pack_files")]
    assert advice(decide(PURE, storage__kind="nvme", storage__mean_file_size="100 kB"), "STO-014") == []


def test_c10_size_of_a_checkpoint_and_the_bandwidth_for_a_stated_stall() -> None:
    document = decide(FULL, model__size_class="70B", storage__checkpoint_stall="60 s")
    assert value(document, "storage.checkpoint_size", GB) == [840, 980]
    assert value(document, "storage.write_bandwidth_wanted", GB) == [14, 980 / 60]
    assert advice(document, "STO-010") == [("note", "checkpoint_storage")]


def test_c26_time_and_room_to_move_a_checkpoint() -> None:
    document = decide(FULL, model__size_class="70B", storage__checkpoint_size="1 TB", network__bandwidth="10 Gb/s")
    assert value(document, "network.transfer_time") == [800, 800]
    assert advice(document, "NWK-002") == [("note", "plan_transfer")]
    assert text(document, "NWK-002").count("1,000 GB") == 2


def test_c10_and_c26_are_both_right_by_what_is_saved() -> None:
    weights = decide(FULL, model__size_class="13B", storage__checkpoint_content="weights", network__bandwidth="10 Gb/s")
    assert value(weights, "storage.checkpoint_size", GB) == [26, 26]
    whole = decide(FULL, model__size_class="70B", storage__checkpoint_content="with_optimizer", network__bandwidth="10 Gb/s")
    assert value(whole, "storage.checkpoint_size", GB) == [840, 980]
    assert "K21" in conflicts(weights) and "K21" in conflicts(whole)


# ---------------------------------------------------------------- communication and network


def test_a47_compute_is_discounted_by_the_share_of_communication() -> None:
    document = decide(FULL, gpu__count=8, measured__communication_share="25 %")
    assert value(document, "communication.compute_share") == [0.75, 0.75]
    assert advice(document, "COM-024") == [("note", "plan_communication")]


@pytest.mark.parametrize(("throughput", "blamed"), [(110, True), (128, True), (130, True), (131, False)])
def test_b08_a_second_card_that_gains_little(throughput: int, blamed: bool) -> None:
    document = decide(FULL, gpu__count=2, measured__throughput=throughput, measured__throughput_one_gpu=100)
    assert ("recommend", "faster_interconnect") in advice(document, "COM-025") or not blamed
    assert bool(advice(document, "COM-025")) == blamed


@pytest.mark.parametrize("stage", ["none", "full"])
def test_b09_ten_times_the_parameters_ten_times_the_volume(stage: str) -> None:
    small, large = (decide(PURE, model__size_class=s, gpu__count=8, parallel__sharding_stage=stage) for s in ("7B", "70B"))
    volume = {"none": 24.5, "full": 36.75}[stage]
    assert value(small, "communication.bytes_per_step", GB) == [volume, volume]
    assert value(large, "communication.bytes_per_step", GB) == [10 * volume, 10 * volume]


def test_b09_full_sharding_over_four_cards() -> None:
    document = decide(FULL, SHARDED, model__size_class="7B", gpu__count=4, interconnect__bandwidth="64 GB/s")
    assert value(document, "communication.bytes_per_step", GB) == [31.5, 31.5]
    assert value(document, "communication.wire_time") == [0.984375, 0.984375]


def test_b19_ordinary_ethernet_among_nodes() -> None:
    document = decide(FULL, network__nodes=2, network__kind="10gbe", network__bandwidth="10 Gb/s")
    assert advice(document, "NWK-010") == [("avoid", "ethernet_among_nodes"), ("recommend", "rdma_network")]
    assert advice(decide(FULL, network__nodes=2, network__kind="infiniband"), "NWK-010") == []


def test_c11_time_on_the_wire_against_the_time_of_the_step() -> None:
    four = FULL | SHARDED | H100 | BATCH | {"model.size_class": "70B", "gpu.count": 32, "network.nodes": 4}
    document = decide(four, network__bandwidth="25 Gb/s")
    assert value(document, "communication.wire_time") == [100.8, 100.8]
    compute = 6 * 70e9 * 4096 / 989e12
    assert value(document, "communication.compute_time") == [compute, compute]
    assert value(document, "network.bandwidth_wanted", GBIT) == [315 / compute * 8, 315 / compute * 8]
    assert advice(document, "NWK-012") == [("avoid", "take_machine"), ("recommend", "faster_network")]
    assert {"100.8 s", "1.739 s"} <= set(re.findall(r"[0-9.]+ (?:s|min)\b", text(document, "NWK-012")))


# ---------------------------------------------------------------- interconnect and balance


@pytest.mark.parametrize(("lanes", "rule", "level"), [("no", "LNK-011", "caution"), ("yes", "LNK-010", "note")])
def test_b17_pcie_for_small_models_with_lanes_of_their_own(lanes: str, rule: str, level: str) -> None:
    small = PURE | SHARDED | {"model.size_class": "1B", "parallel.sharding_stage": "none", "gpu.count": 4}
    document = decide(small, interconnect__kind="pcie", interconnect__dedicated_lanes=lanes)
    assert [a[0] for a in advice(document, rule)] == [level]
    (met,) = (r["met"] for r in document["candidates"][0]["requirements"] if r["rule"] == "NET-001")
    assert met == ("yes" if lanes == "yes" else "no")
    assert {"K28", "K39"} <= conflicts(document)


def test_b20_the_link_weighs_more_with_model_and_cards() -> None:
    large = decide(PURE, SHARDED, model__size_class="70B", gpu__count=16)
    small = decide(PURE, SHARDED, model__size_class="7B", gpu__count=2)
    assert advice(large, "LNK-013") == [("recommend", "weigh_interconnect")]
    assert advice(small, "LNK-014") == [("note", "weigh_interconnect")]
    assert value(large, "communication.bytes_per_step", GB) == [393.75, 393.75]
    assert value(small, "communication.bytes_per_step", GB) == [21, 21]


@pytest.mark.parametrize(
    ("machine", "weakest"),
    [
        ({"gpu.count": 8, "gpu.memory_usable": "80 GB", "gpu.half_tensor_rate": "756 TFLOP/s", "interconnect.bandwidth": "64 GB/s"}, "interconnect"),
        ({"gpu.count": 8, "gpu.memory_usable": "80 GB", "gpu.half_tensor_rate": "100 TFLOP/s", "interconnect.bandwidth": "900 GB/s"}, "compute"),
        ({"gpu.count": 2, "gpu.memory_usable": "24 GB", "gpu.half_tensor_rate": "756 TFLOP/s", "interconnect.bandwidth": "900 GB/s"}, "memory"),
    ],
)
def test_b21_the_weakest_of_the_three_is_named(machine: dict[str, object], weakest: str) -> None:
    document = decide(FULL, SHARDED, BATCH, machine, model__size_class="7B")
    assert members(document, "balance.weakest") == [weakest]
    assert advice(document, "BAL-010") == [("note", "balance_machine")]
    assert f"weakest of this machine: {weakest}" in text(document, "BAL-010")


@pytest.mark.parametrize("topology", ["PHB", "SYS"])
def test_b24_latency_is_named_beside_bandwidth(topology: str) -> None:
    document = decide(FULL, gpu__count=2, interconnect__kind=topology)
    assert advice(document, "LNK-012") == [("note", "check_latency")]
    assert "latency" in text(document, "LNK-012")


def test_c05_bandwidth_that_is_low_for_the_compute() -> None:
    fast = {"gpu.count": 1, "gpu.half_tensor_rate": "362 TFLOP/s"}
    assert advice(decide(FULL, fast, gpu__memory_bandwidth="864 GB/s"), "BAL-011") == [("caution", "low_bandwidth_card")]
    assert advice(decide(FULL, fast, gpu__memory_bandwidth="2 TB/s"), "BAL-011") == []


def test_c29_the_three_limits_of_many_consumer_cards() -> None:
    document = decide(FULL, gpu__name="RTX 4090", gpu__count=8)
    assert advice(document, "TIE-004") == [("caution", "many_consumer_cards")]
    assert all(limit in text(document, "TIE-004") for limit in ("Board", "Cooling", "Driver"))


# ---------------------------------------------------------------- power and room


def test_a49_cooling_and_power_are_part_of_large_training() -> None:
    assert advice(decide(FULL, model__size_class="70B"), "PWR-030") == [("recommend", "check_cooling"), ("recommend", "check_rack_power")]
    assert advice(decide(FULL, model__size_class="7B"), "PWR-030") == []


def test_c25_the_room_is_a_step_of_the_move_to_data_center_cards() -> None:
    document = decide(FULL, gpu__current_tier="consumer", gpu__name="H100 SXM5 80GB", gpu__count=8)
    assert advice(document, "PWR-031") == [("recommend", "plan_room"), ("recommend", "redundant_power")]
    assert advice(decide(FULL, gpu__current_tier="data_center", gpu__name="H100 SXM5 80GB", gpu__count=8), "PWR-031") == []


@pytest.mark.parametrize(("nodes", "state"), [({}, "depends"), ({"network.nodes": 2}, None), ({"network.nodes": 1}, "certain")])
def test_more_than_eight_cards_are_no_sure_stop_before_the_nodes_are_known(nodes: dict[str, int], state: str | None) -> None:
    document = decide(nodes, gpu__count=16, gpu__power_limit="700 W", host__other_power="2 kW", site__rack_power="10 kW")
    for known in ("certain", "depends"):
        assert bool(advice(document, "PWR-006", known)) == (known == state)
    if state == "depends":
        assert "network.nodes" in {q["fact"] for q in document["measure_next"]}


def test_the_ordinary_rack_is_spoken_of_once() -> None:
    document = decide(FULL, model__size_class="7B", gpu__power_limit="450 W", gpu__count=4, site__cooling="ordinary_air")
    assert {c["rule"] for c in document["conclusions"] if "A39" in c["cites"]} == {"PWR-001"}
