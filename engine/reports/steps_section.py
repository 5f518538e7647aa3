"""Settings to change before anything is bought: each step with the memory a card after it, the fit, its price and its rule."""

from __future__ import annotations

from collections.abc import Iterable

from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.wording import TELLING
from gpurules.engine.reports.blocks import Block, Item, Items, Words
from gpurules.engine.reports.reader import Reader

_NEED, _FIT, _RATE = "candidate.memory_need", "candidate.fit", "candidate.tokens_per_second"


class StepsReader(Reader):
    """Reads the plan of steps."""

    def steps(self, after: int = 0) -> list[Block]:
        """The steps that save memory, in order, each on top of those before it, and what they come to; numbered from `after` on."""
        plan = self.plan()
        if not plan:
            return []
        items = tuple(self._step(step, str(after + number)) for number, step in enumerate(plan, 1))
        return [Words(self._lead(), "quiet"), Items(items), Words(self._outcome(plan), "strong")]

    def _lead(self) -> str:
        assert self.candidate is not None
        if _NEED not in self.derived or _FIT not in self.derived:
            return self.word("steps_lead")
        usable = self.said(self.candidate["figures"]["candidate.memory_usable"]["shown"])
        need, fit = self.said(self.current(_NEED)["shown"]), self._fit(self.current(_FIT)["value"]["members"])
        return self.word("steps_now", need=need, usable=usable, fit=fit) + ("" if self.language == "zh" else " ") + self.word("steps_lead")

    def _step(self, step: Document, number: str) -> Item:
        after, details = step["after"], []
        if _NEED in after:
            fit = self._fit(after[_FIT]["value"]["members"]) if _FIT in after else "–"
            details.append(self.word("after_step", need=self.said(after[_NEED]["shown"]), fit=fit))
        if _RATE in after and 0 < after[_RATE]["value"]["high"] <= TELLING * after[_RATE]["value"]["low"]:
            details.append(self.said(after[_RATE]["shown"]))
        if step["costs"]:
            details.append(self.word("paid_with", costs=self._price([step])))
        settings = ", ".join(f"{path} = {value}" for path, value in sorted(step["set"].items()))
        return Item(number, settings, (step["rule"],), "recommend", (self.join(details),) if details else ())

    def _price(self, steps: Iterable[Document]) -> str:
        costs = dict.fromkeys(cost for step in steps for cost in step["costs"])
        return ("、" if self.language == "zh" else ", ").join(self.word(f"cost_{cost}") for cost in costs)

    def _outcome(self, plan: list[Document]) -> str:
        """Whether the steps suffice, or hardware comes next."""
        price = self._price(plan)
        if self.steps_suffice():
            return self.word("steps_suffice_one" if len(plan) == 1 else "steps_suffice", count=len(plan), price=price)
        last = plan[-1]["after"].get(_FIT, {"value": {"members": []}})["value"]["members"]
        if last == ["fits"]:
            unmet = plan[-1]["unmet"]
            titles = {rule["id"]: self.said(rule["title"]) for rule in self.decision["rules"]}
            against = self.join(f"{titles[rule]} [{rule}]" for rule in unmet)
            return self.word("steps_fit_only" if "no" in unmet.values() else "steps_fit_open", price=price, against=against)
        return self.word("steps_may_fit" if "fits" in last else "steps_no_headroom" if "no_headroom" in last else "steps_fall_short", price=price)
