"""The words of what is told of sensitivity, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from gpurules.engine.knowledge.vocabulary import Localized

_T = Localized
SENSITIVITY: Mapping[str, Localized] = {
    "title": _T("How far each figure can move", "各数字可变动的幅度"),
    "lead_some": _T(
        "{count} of the figures that this decision used change the verdict within what is plausible (four times less to four times more; shares from 0 to "
        "100 %). The nearest first; each change was proved by deciding again with a rulebook that holds that figure.",
        "本结论用到的数字中，有 {count} 个在合理范围内（缩小至四分之一到放大至四倍，占比为 0 至 100 %）变动会改变结论。由近到远列出；"
        "每处变化都已用改过该数字的规则库重新求值验证。",
    ),
    "lead_none": _T(
        "No figure that this decision used changes the verdict within what is plausible (four times less to four times more; shares from 0 to 100 %).",
        "本结论用到的数字在合理范围内（缩小至四分之一到放大至四倍，占比为 0 至 100 %）变动，都不会改变结论。",
    ),
    "now": _T("Now: {verdict}", "现在：{verdict}"),
    "constant": _T(
        "{count} further figures that it used may each be anywhere in that range: the verdict stays.",
        "另有 {count} 个用到的数字在此范围内任意变动，结论都不变。",
    ),
    "unused": _T("{count} figures of the rules behind the verdict had no part in it here.", "结论所依据的规则中，有 {count} 个数字在此没有用到。"),
    "zero": _T("{count} figures are 0, which no factor moves; they were left as they are.", "有 {count} 个数字为 0，按倍数无法变动，保持原样。"),
    "all": _T("--all lists them.", "加 --all 可全部列出。"),
    "budget": _T(
        "Not everything was settled: {count} evaluations were made and the budget ended; of {figures} further figures nothing is known. "
        "--budget raises the number.",
        "并非全部查清：已求值 {count} 次，达到上限，另有 {figures} 个数字尚无结果。可用 --budget 提高次数。",
    ),
    "counted": _T("{count} evaluations.", "共求值 {count} 次。"),
    "figure": _T("figure", "数字"),
    "value": _T("now", "现值"),
    "down": _T("down", "向下"),
    "up": _T("up", "向上"),
    "source": _T("source", "来源"),
    "side_change": _T("{text} ({change}): {verdict}", "{text}（{change}）：{verdict}"),
    "side_constant_down": _T("the verdict stays, down to {text}", "降到 {text} 结论都不变"),
    "side_constant_up": _T("the verdict stays, up to {text}", "升到 {text} 结论都不变"),
    "side_open": _T("the verdict stays as far as {text}; beyond that was not settled", "到 {text} 为止结论不变，再往外未能查清"),
    "side_limit_conflicting": _T(
        "the verdict stays as far as {text}; beyond that two rules would contradict each other", "到 {text} 为止结论不变，再往外两条规则会互相矛盾"
    ),
    "side_limit_impossible": _T(
        "the verdict stays as far as {text}; beyond that rules would give a fact a value that nothing can have",
        "到 {text} 为止结论不变，再往外规则会推得不可能的值",
    ),
    "verdict": _T("{status}: {machines}", "{status}：{machines}"),
    "status_keep": _T("keep the machine", "保留该机器"),
    "status_provisional": _T("on assumptions", "在假定下"),
    "status_recommended": _T("recommended", "推荐"),
    "status_ask": _T("cannot be judged yet", "还不能下结论"),
    "status_none_fits": _T("none fits", "没有可行的"),
    "status_not_sized": _T("not sized", "尚未定规模"),
    "row": _T("row {number}: {keys}", "第 {number} 行：{keys}"),
    "any": _T("any", "任意"),
    "named": _T("{name} = {text}: {title}", "{name} = {text}：{title}"),
    "also": _T("moves with {figures}", "与 {figures} 一同变动"),
    "since": _T("since {date}", "自 {date} 起"),
    "cited": _T("{claim}: {says} ({source})", "{claim}：{says}（{source}）"),
    "conflicts": _T("The verdict under the other side of each conflict met", "所遇各项矛盾若取另一方时的结论"),
    "conflict_same": _T("The verdict would be the same: {verdict}", "结论相同：{verdict}"),
    "conflict_advice": _T("The verdict would be the same, some advice not: {verdict}", "结论相同，部分建议不同：{verdict}"),
    "conflict_other": _T("The verdict would be another: {verdict}", "结论会改变：{verdict}"),
    "conflict_none": _T(
        "{count} further conflicts have no other side to take: both hold, or each in its own domain.",
        "另有 {count} 项矛盾没有可取的另一方：两说并存，或各有适用范围。",
    ),
    "no_conflicts": _T("No conflict that was met can be settled the other way.", "所遇矛盾都没有可取的另一方。"),
    "picture": _T("Room of each figure before the verdict is another", "结论改变之前各数字的余地"),
    "picture_note": _T(
        "The line is the figure as it is; the filled part is where the verdict stays. To the left the figure is smaller, a quarter at the edge; to the "
        "right larger, four times at the edge (a share ends at 0 and 100 %).",
        "竖线为现值，实心部分为结论不变的范围。向左为缩小，左端为四分之一；向右为放大，右端为四倍（占比止于 0 和 100 %）。",
    ),
    "picture_bar": _T("{figure}, now {text}. Down: {down}. Up: {up}.", "{figure}，现值 {text}。向下：{down}。向上：{up}。"),
    "stays": _T("the verdict stays", "结论不变"),
    "changes": _T("another verdict, or not settled", "结论改变，或未能查清"),
    "here": _T("the figure as it is", "现值"),
    "as_table": _T("The same as a table, with sources", "以表格查看，附来源"),
    "constant_fold": _T("Figures that change nothing ({count})", "变动也不改变结论的数字（{count}）"),
    "between": _T("{down} to {up}", "{down} 至 {up}"),
    "range": _T("range", "范围"),
}  # fmt: skip


def phrase(key: str, language: str, **values: object) -> str:
    """One phrase in one language, its gaps filled."""
    return SENSITIVITY[key].get(language).format(**values)
