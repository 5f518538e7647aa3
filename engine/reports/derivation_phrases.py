"""What derivations say beside the words of rules, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PHRASES: dict[str, tuple[str, str]] = {
    "requirement_fails": ("the stated machine fails a requirement", "所述机器不满足一项要求"),
    "advice": ("{level}: {action} ({topic})", "{level}：{action}（{topic}）"),
    "told": ("{what}: {said}", "{what}：{said}"),
    "beside": ("{what} ({values})", "{what}（{values}）"),
    "then": ("{first}, {second}", "{first}，{second}"),
    "state_": ("does not stand", "不成立"),
    "state_certain": ("certain", "确定"),
    "state_assuming": ("stands assuming {facts}", "假定 {facts} 时成立"),
    "state_without_assumptions": ("stands as long as nothing is assumed", "仅在不作假定时成立"),
    "state_depends": ("depends on {facts}", "取决于 {facts}"),
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
    "nothing_adds": ("no rule adds anything to it here", "此处没有规则为它增加任何值"),
    "again": ("(laid out elsewhere in this tree)", "（本树他处已展开）"),
    "decides": ("  ← decides", "  ← 起决定作用"),
    "waived": ("waived by {who} until {until}: {why}", "已豁免：{who}，至 {until}，理由：{why}"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases by key: English, Chinese."""

    texts: Mapping[str, tuple[str, str]]

    def phrase(self, key: str, language: str, **values: object) -> str:
        """One phrase in one language, its gaps filled."""
        english, chinese = self.texts[key]
        return (chinese if language == "zh" else english).format(**values)

    def said(self, key: str, **values: object) -> dict[str, str]:
        """One phrase in both languages. A value that is a mapping of languages gives each its own."""
        return {la: self.phrase(key, la, **{k: v[la] if isinstance(v, dict) else v for k, v in values.items()}) for la in ("en", "zh")}


phrase, said = Phrases(PHRASES).phrase, Phrases(PHRASES).said
