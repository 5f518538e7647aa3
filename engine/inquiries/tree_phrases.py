"""What explanations and answers to why-not say beside derivations and the words of rules, in both languages."""

from __future__ import annotations

from gpurules.engine.reports import derivation_phrases
from gpurules.engine.reports.derivation_phrases import Phrases

PHRASES: dict[str, tuple[str, str]] = {
    **derivation_phrases.PHRASES,
    "met_": ("not met", "不满足"),
    "met_certain": ("met", "满足"),
    "met_assuming": ("met assuming {facts}", "假定 {facts} 时满足"),
    "met_without_assumptions": ("met as long as nothing is assumed", "仅在不作假定时满足"),
    "met_depends": ("may be met", "未必满足"),
    "chosen": ("chosen: {machine}", "选中：{machine}"),
    "stated_machine": ("the stated machine: {verdict}", "所述机器：{verdict}"),
    "verdict_accepted": ("accepted", "接受"),
    "verdict_rejected": ("rejected", "否决"),
    "verdict_undecided": ("undecided", "未定"),
    "score": ("{fact} {value}, ranked by {rule}{leads}", "{fact} {value}，按 {rule} 排序{leads}"),
    "leads": (", surely ahead", "，确定领先"),
    "without_rulebook": (
        "The rulebook that decided is not at hand ({digest}…): parameters show their values alone, and derived facts not what they compute from.",
        "手头没有作出该结论的规则库（{digest}…）：参数只列出数值，推导值不列出计算依据。",
    ),
    "machine_figures": ("its figures", "各项数字"),
    "figures_alone": (
        "These are the figures that the decision holds; the rulebook that decided is not at hand ({digest}…), so how they came about cannot be shown.",
        "以上为结论中保存的数字；手头没有作出该结论的规则库（{digest}…），无法给出推导过程。",
    ),
    "figures_not_restated": (
        "These are the figures that the decision holds; it does not tell its facts as they were stated, so how they came about cannot be shown.",
        "以上为结论中保存的数字；其中未完整保存所给事实，无法重新推导。",
    ),
    # ---------------------------------------------------------------- why-not
    "question_rule": ("{rule} {title}: {state}", "{rule} {title}：{state}"),
    "question_machine": ("{machine}: {verdict}", "{machine}：{verdict}"),
    "open_facts": ("unknown: {facts}", "未知：{facts}"),
    "nearest_change": ("nearest change of what is known", "已知事实的最小改动"),
    "nearest_settling": ("settling what is unknown", "弄清未知事实"),
    "nearest_both": ("settling and changing together", "弄清与改动并用"),
    "to_stand": ("so that it stands", "使其成立"),
    "to_silence": ("so that it does not stand", "使其不成立"),
    "to_meet": ("so that the machine meets it", "使该机器满足要求"),
    "to_fail": ("so that the machine is rejected", "使该机器被否决"),
    "move_change": ("change {fact} from {now} to {value}", "把 {fact} 从 {now} 改为 {value}"),
    "move_settle": ("find {fact} (now {now}) to be {value}", "查明 {fact}（现为 {now}）为 {value}"),
    "proved": ("then: {state}; proved by evaluating again", "结果：{state}；已重新求值验证"),
    "no_machine": ("not judged: the facts state no machine", "未判断：事实中没有机器"),
    "machine_stated": ("the stated machine", "所述机器"),
    "distance": ("farthest move: {distance} of the present value", "最大相对改动：{distance}"),
    "also": ("would change with it: {rules}", "随之改变：{rules}"),
    "none": ("none: no change of up to three of the {count} facts does it", "没有：可改动的事实有 {count} 个，改动其中三个以内都不行"),
    "no_facts": ("none: no fact that may be moved has a part in it", "没有：不涉及任何可改动的事实"),
    "no_open": ("none: nothing that is unknown has a part in it", "没有：不涉及任何未知的事实"),
    "budget": (
        "not settled: {evaluations} evaluations ended among sets of {size} facts; no set of fewer does. --budget raises the number",
        "未能确定：{evaluations} 次求值用尽时正在检查 {size} 个事实的组合；更少的事实都不行。可用 --budget 提高次数",
    ),
    "budget_at_one": (
        "not settled: {evaluations} evaluations ended among single facts. --budget raises the number",
        "未能确定：{evaluations} 次求值用尽时仍在检查单个事实。可用 --budget 提高次数",
    ),
    "alone": ("{fact} alone, now {now}", "仅 {fact}，现为 {now}"),
    "stretch": ("{value}: {state}", "{value}：{state}"),
    "band": ("{value}: not settled", "{value}：未能确定"),
    "rejected_by": ("rejected by {rule} {title}", "被 {rule} 否决：{title}"),
    "open_by": ("left open by {rule} {title}", "因 {rule} 未定：{title}"),
    "impossible": ("{rules} give {fact} an impossible value: {value}", "{rules} 推得的 {fact} 是不可能的值：{value}"),
    "meets": ("meets every requirement", "满足全部要求"),
    "is_chosen": ("and is chosen", "且被选中"),
    "outranked": ("but {other} comes first: {fact} {theirs} against {own} [{rule}]", "但 {other} 优先：{fact} {theirs} 对 {own} [{rule}]"),
    "outranked_level": ("but {other} comes first: level on every criterion, less power or fewer cards", "但 {other} 优先：各项相同，功耗更低或卡更少"),
    "siblings": ("other configurations of this card", "该卡的其他配置"),
    "sibling": ("{machine}: {verdict}{rules}", "{machine}：{verdict}{rules}"),
    "several_rules": (
        "{count} rules give this advice; the nearest change is searched for the first {first}",
        "{count} 条规则给出此建议；只为前 {first} 条搜索最小改动",
    ),
    # ---------------------------------------------------------------- what-if
    "along": ("{name}along {fact} ({count} evaluations)", "{name}沿 {fact}（求值 {count} 次）"),
    "status_open": ("the stated machine cannot be judged yet", "所述机器还不能判断"),
    "part": ("{rule}, {machine}: {before} → {after}", "{rule}，{machine}：{before} → {after}"),
    "ranking": ("other machines come first; no requirement changes", "排在前面的机器变了，没有要求改变"),
    "status_other": ("the stated machine is not accepted", "所述机器不被接受"),
    "contradiction": ("the facts contradict each other there", "此处事实互相矛盾"),
}  # fmt: skip
"""Phrases by key: English, Chinese."""

phrase, said = Phrases(PHRASES).phrase, Phrases(PHRASES).said
