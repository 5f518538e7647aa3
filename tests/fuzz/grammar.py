"""Facts files and rules written from the vocabulary: mostly well formed, with a slip here and there. Every choice comes from the `Random` given."""

from __future__ import annotations

import json
from random import Random

from mutations import NOISE, NUMBERS, UNITS

from gpurules.engine import Rulebook
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.values import quantity
from gpurules.engine.values.interval import Interval

FORMS = ("{}", "{}", "{}", "{}", ">= {}", "<= {}", "{0}..{0}", "至少 {}")
TEXTS = (
    "x",
    "Takes {{ %s }}.",
    "{{ %s | percent }}",
    "{{ %s | high }} of {{ %s }}",
    "{{ %s",
    "{%% for %s %%}",
    "{{ %s.__class__ }}",
    "{{ %s | upper }}",
    "{# %s #}",
)


class Grammar:
    """Writes facts files and rules over the facts, members and names of a rulebook."""

    def __init__(self, rulebook: Rulebook) -> None:
        facts = rulebook.vocabulary.facts
        self.facts = [d for d in facts.values() if not d.path.startswith("candidate.")]
        self.everything = list(facts.values())
        self.numbers = [d for d in self.everything if d.number]
        self.names = {
            kind: [name for entry in catalog.entries.values() for name in (entry.name, *entry.aliases)] for kind, catalog in rulebook.catalogs.items()
        }
        self.claims, self.topics, self.actions = list(rulebook.register.claims), list(rulebook.vocabulary.topics), list(rulebook.vocabulary.actions)
        self.slips = 0.0
        self.core = [facts[p] for p in ("workload.task", "model.size_class", "model.name", "gpu.name", "gpu.count", "training.precision") if p in facts]

    # ------------------------------------------------------------ facts

    def facts_file(self, random: Random) -> bytes:
        """A facts file of one to twelve facts, dotted, in groups, or as JSON."""
        self.slips = random.choice((0.0, 0.0, 0.02, 0.2))
        chosen = {d.path: self.value(random, d) for d in random.sample(self.core, random.randrange(len(self.core)))}
        chosen |= {d.path: self.value(random, d) for d in random.sample(self.facts, random.randrange(1, 9))}
        if random.random() < 0.2:
            groups: dict[str, object] = {}
            for path, value in chosen.items():
                group, _, name = path.partition(".")
                inner = groups.setdefault(group, {})
                assert isinstance(inner, dict)
                inner[name] = value
            return json.dumps(groups, ensure_ascii=False).encode("utf-8", "surrogatepass")
        lines = (
            f"{path}: {value if isinstance(value, str) and self._plain(value) else json.dumps(value, ensure_ascii=False)}\n" for path, value in chosen.items()
        )
        return "".join(lines).encode("utf-8", "surrogatepass")

    def _plain(self, text: str) -> bool:
        return bool(text) and text[0].isalnum() and not any(mark in text for mark in (": ", " #", "\n", "\r", "\ud800")) and not text.endswith(":")

    def value(self, random: Random, definition: Definition) -> object:
        """A value of the fact as somebody might write it; some are of another kind."""
        if random.random() < self.slips:
            return random.choice((None, [], {}, {"a": 1}, True, 7, "", random.choice(NOISE), random.choice(NUMBERS), [["x"]], "x" * 300))
        if definition.number:
            return self.quantity(random, definition)
        if definition.type in ("card", "model"):
            name, other = random.choice(self.names[definition.type]), random.choice(self.names[definition.type])
            if random.random() < self.slips:
                return random.choice((name[:-1], f"{name} 80GB", f"{name} or x", f"{name} x16"))
            return random.choice((name, name, name.lower(), f"4x {name}" if definition.type == "card" else name, f"{name} or {other}", [name]))
        member, other = random.choice([*definition.members, *definition.aliases]), random.choice(list(definition.members))
        if random.random() < self.slips:
            return random.choice((member[:-1], f"{member} ({other})", f"{member} {other}"))
        return random.choice((member, member, other, [member, other], f"{member} or {other}", member.upper(), definition.members[other].zh))

    def quantity(self, random: Random, definition: Definition) -> str:
        """A number within the range, and with slips one beyond it, with another unit, or none."""
        low, high = definition.range
        number = random.choice((low, high, low + (high - low) * random.random() ** 6, low + (high - low) * random.random() ** 6))
        if definition.integer:
            number = float(round(number))
        shown = quantity.show(Interval(number, number), definition.unit, definition.share)
        if random.random() < self.slips:
            number = random.choice((high * 2, -high, low / 2))
            other = f"{random.choice(NUMBERS)} {random.choice((definition.unit.text, random.choice(UNITS)))}"
            shown = random.choice((other, quantity.show(Interval(number, number), definition.unit, definition.share), f"about {shown}", f"{shown} (measured)"))
        return random.choice(FORMS).format(shown)

    # ------------------------------------------------------------ rules

    def rule_file(self, random: Random) -> bytes:
        """One rule of random conditions and conclusions, as JSON, which is YAML."""
        self.slips = random.choice((0.0, 0.0, 0.05))
        parameters = {f"p{n}": self._parameter(random) for n in range(random.randrange(4))}
        names = [*(d.path for d in random.sample(self.everything, 6)), *parameters]
        rule: dict[str, object] = {
            "id": "COM-901", "version": "1.0.0", "status": "active", "title": {"en": "x", "zh": "x"},
            "when": self._condition(random, names, 0), "parameters": parameters, "then": [self._conclusion(random, names) for _ in range(3)],
            "because": {"en": self._text(random, names), "zh": self._text(random, names)}, "cites": random.sample(self.claims, 1),
            "cases": [{"name": "a", "facts": {d.path: self.value(random, d) for d in random.sample(self.facts, 2)}, "fires": "depends"}],
        }  # fmt: skip
        if not parameters or random.random() < 0.02:
            del rule["parameters"]
        if random.random() < 0.4:
            rule["for_each"] = "candidate"
        if random.random() < 0.2:
            rule["needs"] = [random.choice(self.facts).path]
        if random.random() < 0.1:
            rule[random.choice(list(rule))] = random.choice((None, [], {}, "", 7, ["x", "x"], random.choice(NUMBERS), random.choice(NOISE)))
        return json.dumps(rule, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def _parameter(self, random: Random) -> object:
        about: dict[str, object] = {"cites": random.sample(self.claims, 1), "since": "2026-01-01"}
        definition = random.choice(self.numbers)
        if random.random() < 0.7:
            return about | {"value": self._figure(random, definition)}
        keys = random.sample([d for d in self.everything if not d.number], random.choice((1, 1, 2)))
        rows = [{"key": ["any"] * len(keys), "value": self._figure(random, definition)}]
        if len(keys) == 1 and random.random() < 0.7:
            rows = [{"key": [m], "value": self._figure(random, definition)} for m in keys[0].members]
        return about | {"keys": [d.path for d in keys], "rows": rows}

    def _figure(self, random: Random, definition: Definition) -> str:
        """A figure with its unit spelt out, as a parameter needs it; with slips as anywhere else."""
        if random.random() < self.slips:
            return self.quantity(random, definition)
        number = random.choice((1.0, 2.0, definition.range.low, definition.range.high, definition.range.high * random.random() ** 6)) / float(
            definition.unit.scale
        )
        unit = "" if definition.unit.text == "1" else f" {definition.unit.text}"
        return random.choice((f"{number:.6g}{unit}", f"{number:.6g}..{number * 2 + 1:.6g}{unit}"))

    def _condition(self, random: Random, names: list[str], depth: int) -> object:
        if depth < 3 and random.random() < 0.4:
            parts = [self._condition(random, names, depth + 1) for _ in range(random.randrange(1, 4))]
            return random.choice(({"all": parts}, {"any": parts}, {"not": parts[0]}))
        return self.truth(random, names, 0)

    def truth(self, random: Random, names: list[str], depth: int) -> str:
        """A condition in the language of rules."""
        if depth < 3 and random.random() < 0.25:
            a, b = self.truth(random, names, depth + 1), self.truth(random, names, depth + 1)
            return random.choice((f"({a}) and ({b})", f"({a}) or ({b})", f"not ({a})", f"{a} and {b}", f"{a} or {b}"))
        definition = random.choice(self.everything)
        if not definition.number and random.random() < 0.8:
            some = ", ".join(repr(m) for m in random.sample(list(definition.members), min(len(definition.members), 2)))
            return random.choice(
                (f"{definition.path} in ({some})", f"{definition.path} not in ({some})", f"{definition.path} == {some.partition(',')[0]}", definition.path)
            )
        operator = random.choice(("<", "<=", ">", ">=", "==", "!=", "<", ">", "=", "<>", "is"))
        return f"{self.number(random, names, 0)} {operator} {self.number(random, names, 0)}"

    def number(self, random: Random, names: list[str], depth: int) -> str:
        """Arithmetic in the language of rules; often over one unit only, so that it stands."""
        if depth < 4 and random.random() < 0.4:
            a, b = self.number(random, names, depth + 1), self.number(random, names, depth + 1)
            return random.choice(
                (f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} / {b}", f"({a})", f"-{a}", f"min({a}, {b})", f"max({a}, {b})", f"ceil({a} / {a})",
                 f"log2({a})", f"divides({a}, {b})", f"lookup({a}, {b})", f"hull({a}, {b})", f"{a} ** {b}", f"{a}[{b}]")
            )  # fmt: skip
        return random.choice((*names, random.choice(self.numbers).path, random.choice(self.numbers).path, "1", "0", random.choice(NUMBERS)))

    def _conclusion(self, random: Random, names: list[str]) -> object:
        definition = random.choice(self.everything)
        value = self.number(random, names, 2) if definition.number else self.value(random, definition)
        match random.randrange(8):
            case 0 | 1:
                return {"derive": {random.choice([d for d in self.everything if d.kind == "derived"]).path: value}}
            case 2:
                return {"assume": {definition.path: value}}
            case 3:
                return {"ask": definition.path}
            case 4:
                return {"require": self.truth(random, names, 1)}
            case 5:
                return {"prefer": {"figure": self.number(random, names, 3), "direction": random.choice(("high", "low"))}}
            case 6:
                return {"step": {"set": {definition.path: self.value(random, definition)}}}
        advice = {"topic": random.choice(self.topics), "level": random.choice(("stop", "avoid", "note")), "action": random.choice(self.actions)}
        return {"advise": advice | random.choice(({}, {"machine": {"count": 4, "memory_nominal": self.value(random, definition)}}))}

    def _text(self, random: Random, names: list[str]) -> str:
        text = random.choice(TEXTS)
        return text % ((random.choice(names),) * text.replace("%%", "").count("%s")) if "%s" in text else text
