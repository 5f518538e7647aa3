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
DOING: Mapping[str, Localized] = {
    "stop": _T("do not {action}", "不要{action}"),
    "avoid": _T("better not {action}", "最好不要{action}"),
    "caution": _T("take care: {title}", "当心：{title}"),
    "recommend": _T("{action}", "{action}"),
}
"""Advice as something to do or to leave: actions are worded as commands. A caution may be about either, so it says what of."""
SECTIONS: Mapping[str, Localized] = {
    "verdict": _T("Verdict", "结论"),
    "do": _T("What to do", "怎么做"),
    "machines": _T("Recommended machines", "推荐的机器"),
    "compare": _T("Finalists compared", "入围机器对比"),
    "why_not": _T("Why not", "为什么不是"),
    "memory": _T("Memory", "显存"),
    "findings": _T("Findings", "发现"),
    "depends": _T("Not settled", "尚未确定"),
    "silent": _T("Silent", "未触发"),
    "conflicts": _T("Conflicts between sources", "来源之间的分歧"),
    "next": _T("Ask next, what decides first", "接下来问什么（先问起决定作用的）"),
    "unread": _T("Not covered", "未涉及"),
    "facts": _T("Facts used", "采用的事实"),
    "sources": _T("Sources", "来源"),
    "trace": _T("Trace", "留痕"),
}
STATUS: Mapping[str, Localized] = {
    "keep": _T("Keep {machine}: it meets every requirement.", "保留 {machine}：满足全部要求。"),
    "provisional": _T("{machine} meets every requirement, on the assumptions named below.", "在下列假定下，{machine} 满足全部要求。"),
    "recommended_machines": _T("Recommended: {machines}.", "推荐：{machines}。"),
    "provisional_machines": _T("Recommended, on the assumptions named below: {machines}.", "在下列假定下，推荐：{machines}。"),
    "none_fits": _T("No machine of the catalogue in one node meets every requirement.", "目录中没有单机能满足全部要求。"),
    "ask": _T("{machine} cannot be judged yet: settle question {question} below.", "{machine} 还不能下结论：请先回答下面的问题 {question}。"),
    "ask_machine": _T("No machine can be recommended yet: settle question {question} below.", "还不能推荐机器：请先回答下面的问题 {question}。"),
    "not_sized": _T(
        "Not sized: the task and the model's size come first, cards after that.",
        "尚未定规模：先明确任务和模型规模，再谈显卡。",
    ),
}
WORDS: Mapping[str, Localized] = {
    "do_not": _T("Do not go ahead with {machine} — {reasons}.", "不要采用 {machine}——{reasons}。"),
    "on_the_edge": _T(
        "{machine} is on the edge: it does or falls short within the width of the sources' own figures, and no question settles that.",
        "{machine} 处于临界：够与不够取决于来源数字本身的宽窄，没有问题可以定下来。",
    ),
    "sources_differ": _T(
        "The sources name different machines for this; none is chosen until question {question} below is settled.",
        "各来源给出的机器不同；回答下面的问题 {question} 之前不作选择。",
    ),
    "others_open": _T("Whether another machine does depends on question {question} below.", "其他机器是否可行取决于下面的问题 {question}。"),
    "machine_memory": _T(
        "memory a card: needs {need}, can use {usable}; usable ÷ needed {headroom}: {fit}",
        "单卡显存：需要 {need}，可用 {usable}；可用 ÷ 需要 = {headroom}：{fit}",
    ),
    "machine_power": _T("cards {power} in all, {each} each; {tier}", "显卡共 {power}，单卡 {each}；{tier}"),
    "leads": _T("no finalist is better on {criteria}", "下列指标上没有更好的入围机器：{criteria}"),
    "equal_on": _T("equal on: {criteria}", "相同的指标：{criteria}"),
    "leads_mark": _T("* no other finalist is better, whatever the uncertain figures turn out to be", "* 无论不确定的数字如何，都没有更好的入围机器"),
    "scenario": _T("{count} × {memory} by name: {title}", "{count} × {memory}（标称）：{title}"),
    "scenarios_contradict": _T(
        "The sources name different machines; none is chosen until what tells them apart is known:", "各来源给出的机器不同；弄清差别所在之前不作选择："
    ),
    "scenarios_agree": _T("Machines that sources name outright:", "来源直接给出的机器："),
    "considered": _T(
        "{considered} candidates looked at: {accepted} accepted, {undecided} undecided, {rejected} rejected.",
        "共评判 {considered} 个候选：接受 {accepted}，未定 {undecided}，否决 {rejected}。",
    ),
    "unsettled": _T("{fact} would settle most of the undecided ({count}).", "{fact} 可定下最多的未定候选（{count} 个）。"),
    "impossible": _T("{count} machines: {fact} would be what nothing can have, such as {shown}", "{count} 个候选：{fact} 的值不可能成立，例如 {shown}"),
    "rejected_by": _T("rejected by: {rules}", "各规则否决数：{rules}"),
    "criterion": _T("criterion", "指标"),
    "candidate.memory_need": _T("memory needed a card", "单卡所需显存"),
    "candidate.memory_usable": _T("memory usable a card", "单卡可用显存"),
    "candidate.headroom": _T("usable ÷ needed", "可用 ÷ 需要"),
    "candidate.interconnect_bandwidth": _T("link, both directions", "互联（双向合计）"),
    "candidate.half_tensor_rate": _T("half-precision rate a card", "单卡半精度算力"),
    "candidate.memory_bandwidth": _T("memory bandwidth a card", "单卡显存带宽"),
    "candidate.power": _T("power of all cards", "全部显卡功耗"),
    "status_recommended": _T("another machine is recommended", "推荐另一台机器"),
    "disagrees": _T(
        "{fact} is stated as {stated}, and used so; the rules would make it {computed}.", "{fact} 给出的是 {stated}，以此为准；规则推得 {computed}。"
    ),
    "undefined": _T("{fact} divides by zero and says nothing.", "{fact} 除数为零，没有意义。"),
    "step": _T("try {settings}", "尝试 {settings}"),
    "after_step": _T("a card would then need {after}", "此时单卡需要 {after}"),
    "more": _T("and {count} more of less weight; --format json holds them all", "另有 {count} 条较轻的，见 --format json"),
    "more_questions": _T("and {count} more that settle less; --format json holds them all", "另有 {count} 个作用较小的问题，见 --format json"),
    "machine": _T("the stated machine", "所述机器"),
    "needs_in_all": _T("Memory needed in all: {need}{rules}.", "总显存需求：{need}{rules}。"),
    "holds": _T("{count} cards hold {nominal} by name, {usable} usable.", "{count} 张卡标称共 {nominal}，可用 {usable}。"),
    "holds_one": _T("The card holds {nominal} by name, {usable} usable.", "该卡标称 {nominal}，可用 {usable}。"),
    "assuming": _T("assuming {facts}", "假定 {facts}"),
    "without_assumptions": _T("without assumptions", "不作假定时"),
    "certainty": _T("Certainty: {text}", "确定程度：{text}"),
    "assumes": _T("assumes {what} [{rules}]", "假定 {what} [{rules}]"),
    "open": _T("{count} findings still depend on facts not given", "还有 {count} 条取决于未给出的事实"),
    "waiting": _T("{count} rules wait for nothing but the task and the model's size", "{count} 条规则只等任务和模型规模"),
    "no_assumption": _T("no assumption was needed", "未作任何假定"),
    "need_all": _T("need, all cards", "需求（全部卡）"),
    "have_nominal": _T("have, by name", "现有（标称）"),
    "have_usable": _T("have, usable", "现有（可用）"),
    "need_card": _T("need, a card", "需求（单卡）"),
    "have_card": _T("have, a card", "现有（单卡可用）"),
    "measured": _T("measured peak", "实测峰值"),
    "with_headroom": _T("with headroom", "含余量"),
    "short": _T("short by {gap}", "缺 {gap}"),
    "aside": _T("Set aside: {value}, {title} [{rule}].", "未采用：{value}，{title} [{rule}]。"),
    "confidence_low": _T("low confidence", "可信度低"),
    "waits": _T("waits for {facts}", "等待 {facts}"),
    "tight": _T("tight: hangs on the width of a figure, not on a fact", "临界：取决于参数本身的宽度，而非某个事实"),
    "holds_when": _T("Holds: {text}", "处理：{text}"),
    "possible": _T("possible", "可能"),
    "cost_free": _T("free", "无成本"),
    "cost_minutes": _T("minutes", "几分钟"),
    "cost_hours": _T("hours", "数小时"),
    "cost_money": _T("money", "需花钱"),
    "settles": _T("settles {count}", "可定 {count} 条"),
    "settles_verdict": _T("settles the verdict", "可定结论"),
    "asked": _T("asked by {rules}", "{rules} 要求"),
    "names_several": _T("'{text}' names several cards or models: {entries}", "“{text}”对应多个型号：{entries}"),
    "not_in_catalogue": _T("'{text}' is not in the catalogue, its shape stays unknown", "目录中没有“{text}”，其结构未知"),
    "like": _T("; like it: {names}", "；相近的有：{names}"),
    "origin_stated": _T("stated, line {line}", "用户给出，第 {line} 行"),
    "origin_set": _T("stated", "用户给出"),
    "origin_looked_up": _T("catalogue by {via}, {confidence}", "由 {via} 查目录，{confidence}"),
    "origin_default": _T("taken from {via}", "取自 {via}"),
    "origin_assumed": _T("assumed [{rule}]", "假定 [{rule}]"),
    "interest": _T("its author sells servers and rentals", "作者销售服务器并出租算力"),
    "facts": _T("facts", "事实"),
    "rulebook": _T("rulebook", "规则库"),
    "as_of": _T("as of", "日期"),
    "claims_cited": _T("{count} claims cited", "引用 {count} 条主张"),
    "rules_looked_at": _T("{count} rules looked at", "检查 {count} 条规则"),
    "none": _T("nothing", "无"),
    "unread": _T("Stated, but read by no rule, hence without effect on anything above: {facts}.", "已给出，但没有规则用到，对以上结论没有任何影响：{facts}。"),
    "take_named": _T("take what a source names: {machines} by name", "采用来源给出的机器：{machines}（标称）"),
    "take_recommended": _T("take one of the machines below", "从下列机器中选用一种"),
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
}


def word(key: str, language: str, **values: object) -> str:
    """One phrase in one language, its gaps filled."""
    return (WORDS.get(key) or STATUS.get(key) or SECTIONS[key]).get(language).format(**values)
