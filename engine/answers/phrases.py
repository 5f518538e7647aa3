"""The fixed words of reports, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from gpurules.engine.knowledge.vocabulary import Localized

_T = Localized
LEVELS: Mapping[str, Localized] = {
    "stop": _T("stop", "停止"),
    "avoid": _T("avoid", "避免"),
    "caution": _T("caution", "当心"),
    "recommend": _T("recommend", "建议"),
    "note": _T("note", "提示"),
    "require": _T("reject", "否决"),
}
SECTIONS: Mapping[str, Localized] = {
    "verdict": _T("Verdict", "结论"),
    "do": _T("What to do", "怎么做"),
    "memory": _T("Memory", "显存"),
    "findings": _T("Findings", "发现"),
    "depends": _T("Not settled", "尚未确定"),
    "silent": _T("Silent", "未触发"),
    "conflicts": _T("Conflicts between sources", "来源之间的分歧"),
    "next": _T("Ask next, most settled for its cost first", "接下来问什么（按投入产出排序）"),
    "facts": _T("Facts used", "采用的事实"),
    "sources": _T("Sources", "来源"),
    "trace": _T("Trace", "留痕"),
}
STATUS: Mapping[str, Localized] = {
    "keep": _T("Keep {machine}: it meets every requirement.", "保留 {machine}：满足全部要求。"),
    "provisional": _T("{machine} meets every requirement, assuming {assumed}.", "假定 {assumed}，{machine} 满足全部要求。"),
    "none_fits": _T("Do not go ahead with {machine} — {reasons}.", "不要采用 {machine}——{reasons}。"),
    "ask": _T("{machine} cannot be judged yet: settle question 1 below.", "{machine} 还不能下结论：请先回答下面的问题 1。"),
    "ask_machine": _T("The need is known; name a card and a count to have a machine judged.", "需求已明确；给出显卡型号和数量后才能评判机器。"),
    "not_sized": _T(
        "Not sized: the task and the model's size come first, cards after that.",
        "尚未定规模：先明确任务和模型规模，再谈显卡。",
    ),
}
WORDS: Mapping[str, Localized] = {
    "machine": _T("the stated machine", "所述机器"),
    "needs_in_all": _T("Memory needed in all: {need}{rules}.", "总显存需求：{need}{rules}。"),
    "holds": _T("{count} cards hold {nominal} by name, {usable} usable.", "{count} 张卡标称共 {nominal}，可用 {usable}。"),
    "holds_one": _T("The card holds {nominal} by name, {usable} usable.", "该卡标称 {nominal}，可用 {usable}。"),
    "certain": _T("Certain on the facts given.", "就已给事实而言是确定的。"),
    "assuming": _T("assuming {facts}", "假定 {facts}"),
    "without_assumptions": _T("without assumptions", "不作假定时"),
    "certainty": _T("Certainty: {text}", "确定程度：{text}"),
    "assumes": _T("assumes {what} [{rules}]", "假定 {what}〔{rules}〕"),
    "open": _T("{count} findings still depend on facts not given", "还有 {count} 条取决于未给出的事实"),
    "waiting": _T("{count} rules wait for nothing but the task and the model's size", "{count} 条规则只等任务和模型规模"),
    "no_assumption": _T("no assumption was needed", "未作任何假定"),
    "need_all": _T("need, all cards", "需求（全部卡）"),
    "if": _T("{value}: {title}", "{value}：{title}"),
    "have_nominal": _T("have, by name", "现有（标称）"),
    "have_usable": _T("have, usable", "现有（可用）"),
    "need_card": _T("need, a card", "需求（单卡）"),
    "have_card": _T("have, a card", "现有（单卡可用）"),
    "measured": _T("measured peak", "实测峰值"),
    "with_headroom": _T("with 20–30 % headroom", "含 20–30% 余量"),
    "short": _T("short by {gap}", "缺 {gap}"),
    "aside": _T("Set aside: {value}, {title} [{rule}].", "未采用：{value}，{title}〔{rule}〕。"),
    "confidence_low": _T("low confidence", "可信度低"),
    "one_of": _T("either", "二者之一"),
    "fit_fits": _T("fits", "放得下"),
    "fit_no_headroom": _T("no headroom", "没有余量"),
    "fit_does_not_fit": _T("does not fit", "放不下"),
    "waits": _T("waits for {facts}", "等待 {facts}"),
    "tight": _T("tight: hangs on the width of a figure, not on a fact", "临界：取决于参数本身的宽度，而非某个事实"),
    "holds_when": _T("Holds: {text}", "处理：{text}"),
    "possible": _T("possible", "可能"),
    "between": _T("{sides}", "{sides}"),
    "cost_free": _T("free", "无成本"),
    "cost_minutes": _T("minutes", "几分钟"),
    "cost_hours": _T("hours", "数小时"),
    "cost_money": _T("money", "需花钱"),
    "settles": _T("settles {count}", "可定 {count} 条"),
    "settles_verdict": _T("settles the verdict", "可定结论"),
    "asked": _T("asked by {rules}", "{rules} 要求"),
    "now": _T("now {value}", "现为 {value}"),
    "names_several": _T("'{text}' names several cards or models: {entries}", "“{text}”对应多个型号：{entries}"),
    "origin_stated": _T("stated, line {line}", "用户给出，第 {line} 行"),
    "origin_set": _T("stated", "用户给出"),
    "origin_looked_up": _T("catalogue by {via}, {confidence}", "由 {via} 查目录，{confidence}"),
    "origin_default": _T("taken from {via}", "取自 {via}"),
    "origin_assumed": _T("assumed [{rule}]", "假定〔{rule}〕"),
    "interest": _T("its author sells servers and rentals", "作者销售服务器并出租算力"),
    "facts": _T("facts", "事实"),
    "rulebook": _T("rulebook", "规则库"),
    "as_of": _T("as of", "日期"),
    "claims_cited": _T("{count} claims cited", "引用 {count} 条主张"),
    "rules_looked_at": _T("{count} rules looked at", "检查 {count} 条规则"),
    "none": _T("nothing", "无"),
    "nothing_to_do": _T("Nothing is advised on these facts.", "就这些事实没有建议。"),
    "measure_first": _T("first settle: {title} ({fact})", "先弄清：{title}（{fact}）"),
    "not": _T("{left}, not {right}", "{left}，不满足 {right}"),
    "figures_assume": _T("figures assume {facts}; it holds without them too", "数字假定了 {facts}；不作假定也成立"),
    "other_side": _T("Under {claims} instead: {text}.", "若以 {claims} 为准：{text}。"),
    "same": _T("the verdict is the same", "结论不变"),
    "changes": _T("the verdict would become “{status}”", "结论将变为“{status}”"),
    "status_keep": _T("keep the machine", "保留该机器"),
    "status_provisional": _T("meets every requirement on assumptions", "在假定下满足要求"),
    "status_ask": _T("cannot be judged yet", "还不能下结论"),
    "status_none_fits": _T("do not go ahead", "不要采用"),
    "status_not_sized": _T("not sized", "尚未定规模"),
    "of_usable": _T("{share} of usable", "可用显存的 {share}"),
    "fact": _T("fact", "事实"),
    "value": _T("value", "取值"),
    "origin": _T("origin", "出处"),
    "fails": _T("fails: {title}", "不满足：{title}"),
}


def word(key: str, language: str, **values: object) -> str:
    """One phrase in one language, its gaps filled."""
    return (WORDS.get(key) or STATUS.get(key) or SECTIONS[key]).get(language).format(**values)
