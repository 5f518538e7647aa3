"""A glance: one evaluation over a cell of places, and what of its decision holds at every one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from gpurules.engine.decisions import change
from gpurules.engine.glances.comparison import Bounds, tightened
from gpurules.engine.glances.field_view import View
from gpurules.engine.glances.ground import Ground
from gpurules.engine.glances.varying import Varying
from gpurules.engine.inference import candidates, choice
from gpurules.engine.inference.agenda import Run, wide
from gpurules.engine.inference.candidates import GROWN
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.values.truth import DEPENDS, NO, YES

ENDS = 2
"""Corners at which machines of the catalogue are looked at, too: each takes as long as the cell itself."""
Verdict = tuple[str, ...]
"""The status and the machines chosen, as `change.verdict`."""


class Glance:
    """One evaluation in which facts or figures have all values of a cell at once, and what may differ in it from place to place."""

    def __init__(
        self,
        ground: Ground,
        evaluation: Evaluation,
        moved: Iterable[str],
        varying: Iterable[str],
        touched: Iterable[str] = (),
        corners: Callable[[int], Iterable[Corner]] = lambda number: (),
    ) -> None:
        """`moved` are the facts or figures that stand elsewhere than on the ground, `varying` those of them that have several values, `touched` the
        facts about which something else is proven. `corners` gives the same cell with what else is open at one of its ends."""
        self.ground, self.evaluation, self.moved, self.touched = ground, evaluation, frozenset(moved), tuple(touched)
        self._made_corners: dict[int, tuple[Corner, ...]] = {}
        self._corners, cone, procedures = corners, ground.cone, ground.engine.program.procedures
        names = tuple(varying)
        first = Varying(names)
        first.along(evaluation.workloads[0], cone.workload.steps, self._inside(0, False))
        second = Varying(names)
        for one in evaluation.assumptions:
            if wide(one.value) and not first.values.isdisjoint(procedures[one.rule].leaves.get(one.fact, ())):
                second.values.add(one.fact)
                second.beyond.add((one.fact, 0))  # how far the fact's range cuts what is assumed is not followed
        second.along(evaluation.workloads[1], cone.workload.steps, self._inside(1, False))
        self.workloads = first, second if evaluation.assumptions else first
        self.machines = tuple(self._stated(varying, number) for number, varying in enumerate(self.workloads))
        self._views: dict[tuple[int, int], View] = {}

    def _stated(self, workload: Varying, number: int) -> Varying:
        """What varies of the stated machine besides the workload."""
        if not self.evaluation.has_candidate:
            return workload
        varying, cone = workload.copy(), self.ground.cone
        varying.values |= {figure for figure in cone.figures if not varying.values.isdisjoint(candidates.cause(figure))}
        varying.along(self._judged[number], cone.candidate.steps, self._inside(number))
        return varying

    @property
    def _judged(self) -> tuple[Run, Run]:
        return self.evaluation.first, self.evaluation.second

    def _alike(self, number: int) -> Sequence[Corner]:
        """The corners of a pass, made when they are first wanted."""
        number = number if self.evaluation.assumptions else 0
        if number not in self._made_corners:
            self._made_corners[number] = tuple(self._corners(number))
        return self._made_corners[number]

    def _inside(self, number: int, machine: bool = True) -> Callable[[], Sequence[Run]]:
        """Their runs, once they are wanted; of the workload alone, or of the stated machine, too."""
        return lambda: [c._judged[n] if machine else c.evaluation.workloads[n] for c, n in self._alike(number)]

    # ------------------------------------------------------------ what one answer needs

    @cached_property
    def possible(self) -> bool:
        """Whether there is a decision at every place, and the same is assumed at all of them."""
        return self.settled and not any(v.impossible(self._runs(number)) for number, v in enumerate(self.machines))

    @cached_property
    def settled(self) -> bool:
        """Whether the same is assumed at every place: what may be assumed somewhere is so everywhere, or surely nowhere."""
        run, settled = self.evaluation.first, self.evaluation.facts.settled
        may = [r for r, facts in self.ground.cone.assumed_by.items() if r in self.workloads[0].rules and not settled.issuperset(facts)]
        return all(run.truths[r] is not DEPENDS or any(c.evaluation.first.truths[r] is NO for c, _ in self._alike(0)) for r in may)

    def _runs(self, number: int) -> Iterable[Run]:
        return (c._judged[n] for c, n in self._alike(number))

    def accepted(self, number: int) -> Bounds:
        """Whether the stated machine meets every requirement, without (0) and with assumptions (1)."""
        return self._tight(number, lambda glance, n, inside: glance.machines[n].accepted(glance._judged[n], self.evaluation.requirements, inside))

    def stands(self, rule: str, number: int) -> Bounds:
        """Whether a rule's advice does."""
        return self._tight(number, lambda glance, n, inside: glance._advised(rule, n, inside))

    def _advised(self, rule: str, number: int, inside: Sequence[Run]) -> Bounds:
        """At corners, rules that look at all machines together are not judged."""
        run = self._judged[number]
        return self._spoken[number].stands(run, rule, inside) if rule in run.truths else (NO, YES)

    def _tight(self, number: int, bounds: Callable[[Glance, int, Sequence[Run]], Bounds]) -> Bounds:
        """Bounds of a truth, once corners are looked at where they may help."""
        found = bounds(self, number, ())
        if found[0] is found[1]:
            return found
        corners = self._alike(number)
        return tightened(bounds(self, number, [c._judged[n] for c, n in corners]), (bounds(c, n, ()) for c, n in corners))

    @cached_property
    def _spoken(self) -> tuple[Varying, ...]:
        """What varies besides where rules look at all machines together."""
        cone, found = self.ground.cone, []
        for number, (varying, run) in enumerate(zip(self.machines, self._judged, strict=True)):
            spoken = varying.copy()
            spoken.values |= {name for name in cone.aggregates if wide(run.value(name))}
            spoken.along(run, (step for step in cone.together.steps if step[1] in run.truths or step[1] in run.derived), self._inside(number))
            found.append(spoken)
        return tuple(found)

    @property
    def looked(self) -> bool:
        """Whether machines were looked at."""
        return bool(self._views)

    # ------------------------------------------------------------ the decision, as `change.signature` finds it

    def advice(self) -> frozenset[tuple[str, str, str, str, str]] | None:
        """The advice that stands; None where that is not one answer for the whole cell."""
        for rule in self.ground.advising:
            if rule in self.evaluation.first.truths and any(low is not high for low, high in (self.stands(rule, 0), self.stands(rule, 1))):
                return None
        return change.standing_advice(self.evaluation)

    def stated(self) -> Verdict | None:
        """The verdict where it is found without looking for machines; empty where they are looked for, None where that is not one answer."""
        evaluation = self.evaluation
        if not evaluation.sized:
            return ("not_sized",)
        if not evaluation.has_candidate:
            return ()
        before, after = self.accepted(0), self.accepted(1)
        if before[0] is YES or (before[1] is not YES and after[0] is YES):
            status = "keep" if before[0] is YES else "provisional"
            return (status, "stated") if after[0] is YES else (status,) if after[1] is not YES else None
        return None if before[1] is YES or after[1] is YES else ()

    def verdict(self) -> Verdict | None:
        """The verdict; None where that is not one answer for the whole cell."""
        if not self.possible:
            return None
        stated = self.stated()
        if stated is None or stated:
            return stated
        second = self.evaluation.second
        named = [self.stands(rule, 1) for rule in self.ground.naming if rule in second.truths]
        if any(high is YES and low is not YES for low, high in named):
            return None
        return ("ask",) if choice.contradict(self.evaluation.scenarios) else self._chosen()

    def _chosen(self) -> Verdict | None:
        for number, status in enumerate(("recommended", "provisional")):
            own = self._at_hand(number)
            found = None if own is None else self._picked(number, 0)
            if own is None or found is None:
                return None
            if own or found:
                return (status, *(*own, *found)[: choice.FINALISTS])
        open_ = [self._last(number).undecided for number in (0, 1)]
        return ("ask",) if True in open_ else None if None in open_ else ("none_fits",)

    def _at_hand(self, number: int) -> tuple[str, ...] | None:
        """What a pass chooses of fewer of the stated cards; None, too, where their figures are not those on the ground."""
        moves = self.evaluation.has_candidate and not self.moved.isdisjoint(candidates.AT_HAND)
        return None if moves else self._picked(number, -1)

    def _picked(self, number: int, nodes: int) -> tuple[str, ...] | None:
        """What a pass chooses; where memory rejects all machines, among several together."""
        view = self._view(number, nodes)
        found = view.picked
        for grown in GROWN if nodes == 0 else ():
            if found is None or found or view.short is False:
                break
            if view.short is None:
                return None
            view = self._view(number, grown)
            found = view.picked
        return found

    def _last(self, number: int) -> View:
        """The machines that a pass looked at last."""
        grown = [self._views[key] for key in ((number, nodes) for nodes in (0, *GROWN)) if key in self._views]
        return grown[-1] if grown else self._view(number, 0)

    def _view(self, number: int, nodes: int) -> View:
        number = number if self.evaluation.assumptions else 0
        if (number, nodes) not in self._views:
            ranker = None if (number or not self.evaluation.assumptions) and nodes == 0 else self._view(1, 0)
            self._views[number, nodes] = self._made(number, nodes, ranker)
        return self._views[number, nodes]

    def _made(self, number: int, nodes: int, ranker: View | None) -> View:
        field = self.ground.field(number, self.evaluation, nodes)
        made = View(field, self.evaluation.workloads[number], self.workloads[number], self.moved, self.touched, ranker)
        if made.same:
            return self.ground.held(("same", field), lambda: View(field, field.run, Varying(), (), ()))
        made.corners = lambda: [c._view(n, nodes) for c, n in self._alike(number)[:ENDS]]
        return made


Corner = tuple[Glance, int]
"""The same cell with what else is open at one of its ends, and which of its passes is meant."""


def corners_of(evaluation: Evaluation, number: int, corners: Iterable[Glance]) -> Iterable[Corner]:
    """Of glances at corners those in which the same is assumed, where the pass is one with assumptions."""
    own = assumed(evaluation)
    return [(c, number) for c in corners if not number or (c.settled and assumed(c.evaluation) == own)]


def assumed(evaluation: Evaluation) -> tuple[tuple[str, str], ...]:
    """Which facts were assumed, and by which rules."""
    return tuple((one.fact, one.rule) for one in evaluation.assumptions)
