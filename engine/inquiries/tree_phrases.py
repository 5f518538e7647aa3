"""What trees of reasons and answers to why-not say beside the words of rules, in both languages."""

from __future__ import annotations

PHRASES: dict[str, tuple[str, str]] = {
    "level_stop": ("stop", "停止"),
    "level_avoid": ("avoid", "避免"),
    "level_caution": ("caution", "当心"),
    "level_recommend": ("recommend", "建议"),
    "level_note": ("note", "提示"),
    "requirement_fails": ("the stated machine fails a requirement", "所述机器不满足一项要求"),
    "state_": ("does not stand", "不成立"),
    "state_certain": ("certain", "确定"),
    "state_assuming": ("stands assuming {facts}", "假定 {facts} 时成立"),
    "state_without_assumptions": ("stands as long as nothing is assumed", "仅在不作假定时成立"),
    "state_depends": ("depends on {facts}", "取决于 {facts}"),
    "met_": ("not met", "不满足"),
    "met_certain": ("met", "满足"),
    "met_assuming": ("met assuming {facts}", "假定 {facts} 时满足"),
    "met_without_assumptions": ("met as long as nothing is assumed", "仅在不作假定时满足"),
    "met_depends": ("may be met", "未必满足"),
    "truth": ("{truth}", "{truth}"),
    "truth_yes": ("yes", "是"),
    "truth_no": ("no", "否"),
    "truth_depends": ("depends", "未定"),
    "truth_not judged": ("not judged", "未判断"),
    "always": ("always: the rule has no condition", "恒成立：规则没有条件"),
    "all": ("all of these: {truth}", "同时满足：{truth}"),
    "any": ("any of these: {truth}", "满足其一：{truth}"),
    "negation": ("not: {truth}", "非：{truth}"),
    "needs_known": ("needs {fact}: stated", "需要 {fact}：已给出"),
    "needs_unknown": ("needs {fact}: not stated, so the rule keeps silent", "需要 {fact}：未给出，规则不作判断"),
    "requires": ("requires {condition}", "要求 {condition}"),
    "figures": ("its text also shows", "文字中还用到"),
    "overridden": ("overridden by", "被以下规则取代"),
    "parameter": ("{name} = {value}, parameter since {since}", "{name} = {value}，参数，自 {since} 起"),
    "table": ("{name}, table by {keys}, since {since}", "{name}，按 {keys} 查表，自 {since} 起"),
    "stated": ("{fact} = {value}, stated as “{text}” at {where}", "{fact} = {value}，给出为“{text}”，{where}"),
    "set": ("{fact} = {value}, stated as “{text}”", "{fact} = {value}，给出为“{text}”"),
    "catalogue": ("{fact} = {value}, catalogue entry by {via}, confidence {confidence}", "{fact} = {value}，由 {via} 查目录，可信度 {confidence}"),
    "taken": ("{fact} = {value}, taken from {via}", "{fact} = {value}，取自 {via}"),
    "assumed": ("{fact} = {value}, assumed", "{fact} = {value}，假定"),
    "unknown": ("{fact}: unknown, not stated", "{fact}：未知，未给出"),
    "with_assumptions": ("{text} (without assumptions {before})", "{text}（不作假定时 {before}）"),
    "set_aside": ("set aside: {rule} {title}, {value}", "未采用：{rule} {title}，{value}"),
    "open": ("and possibly none of these: no rule covers every case", "也可能都不适用：没有规则覆盖所有情况"),
    "again": ("(laid out elsewhere in this tree)", "（本树他处已展开）"),
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
        "以上为决定中保存的数字；手头没有作出该结论的规则库（{digest}…），无法给出推导过程。",
    ),
    "figures_not_restated": (
        "These are the figures that the decision holds; it does not tell its facts as they were stated, so how they came about cannot be shown.",
        "以上为决定中保存的数字；决定未完整保存所给事实，无法重新推导。",
    ),
    "waived": ("waived by {who} until {until}: {why}", "已豁免：{who}，至 {until}，理由：{why}"),
    # ---------------------------------------------------------------- why-not
    "question_rule": ("{rule} {title}: {state}", "{rule} {title}：{state}"),
    "question_machine": ("{machine}: {verdict}", "{machine}：{verdict}"),
    "decides": ("  ← decides", "  ← 起决定作用"),
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
    "none": ("none within three: no change of up to three of {count} facts does", "三个以内没有：改动 {count} 个事实中的至多三个都不行"),
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


def phrase(key: str, language: str, **values: object) -> str:
    """One phrase in one language, its gaps filled."""
    english, chinese = PHRASES[key]
    return (chinese if language == "zh" else english).format(**values)


def said(key: str, **values: object) -> dict[str, str]:
    """One phrase in both languages. A value that is a mapping of languages gives each its own."""
    return {la: phrase(key, la, **{k: v[la] if isinstance(v, dict) else v for k, v in values.items()}) for la in ("en", "zh")}
