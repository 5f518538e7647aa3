"""Malformed rule files: what is said of each, where, and what to write instead."""
# ruff: noqa: E501  (edits of a rule are told in one piece)

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

Fault = tuple[str, str, str, str]
"""Place (line and column, in the file RULE stands in unless another is named), code, words of the message, words of the mend."""
Edits = list[tuple[str, str]]
"""Changes of RULE: old text, new text."""
Files = dict[str, Edits | str | bytes | None]
"""A folder of rules by file: RULE with changes, a text, or None for a copy of what is packaged."""
Refused = Callable[[list[str], list[Fault], bool], None]

NAME = "COM-901-more.yaml"
RULE = """\
id: COM-901
version: 1.0.0
status: active
title: {en: More cards no longer speed training up, zh: 加卡不再提速}
when:
  all:
    - workload.task in ('pretrain', 'full_finetune')
    - measured.communication_share > limit
parameters:
  limit: {value: 30 %, cites: [A04], since: 2026-01-01}
then:
  - advise: {topic: scaling, level: avoid, action: add_cards}
because:
  en: "Communication takes {{ measured.communication_share }}, above {{ limit }}."
  zh: "通信占 {{ measured.communication_share }}，超过 {{ limit }}。"
cites: [A04]
cases:
  - {name: above, facts: {workload.task: pretrain, measured.communication_share: 31 %}, fires: yes}
"""
WHEN = "    - measured.communication_share > limit"
THEN = "  - advise: {topic: scaling, level: avoid, action: add_cards}"

PACKAGED = {f"catalogs/{name}.yaml": None for name in ("gpus", "models", "claims", "conflicts", "interconnects")}
"""Catalogues as they are, beside one that is wrong."""
CARDS = """sources: {s1: {where: a page, confidence: table}}
cards:
- id: a
  name: A
  values:
    gpu.teir: {value: consumer, from: [s1], confidence: table}
    gpu.memory_nominal: {value: 24 GZ, from: [s1], confidence: table}
    link.kind: {value: pice, from: [s1], confidence: table}
"""
PRICES = """asked_by: [budget.totel]
sources: {p1: {where: a page, date: 2026-05}}
cards:
- {id: rtx-4091, values: {budget.card_price: {value: 900 EURO, from: [p1], confidence: table}}}
regions:
- {id: atlantis, values: {}}
"""
CONFLICTS = """conflicts:
- {id: K1, between: [A01, Q77], kind: both, wins: A02, about: {en: x, zh: y}, holds: {en: x, zh: y}}
"""
RULES: dict[str, tuple[Edits | Files, list[Fault]]] = {
    "unknown fact": (
        [("measured.communication_share > limit", "measured.comunication_share > limit")],
        [("8:7", "GR101", "unknown fact or parameter 'measured.comunication_share'", "did you mean 'measured.communication_share'?")],
    ),
    "unknown fact after a known one": (
        [(WHEN, "    - gpu.count > 1 and measured.communication_shar > limit")],
        [("8:25", "GR101", "unknown fact or parameter 'measured.communication_shar'", "did you mean 'measured.communication_share'?")],
    ),
    "unknown fact in quotes": (
        [(WHEN, '    - "measured.communication_shar > limit"')],
        [("8:8", "GR101", "unknown fact or parameter 'measured.communication_shar'", "did you mean 'measured.communication_share'?")],
    ),
    "unknown parameter": (
        [("share > limit", "share > limmit")],
        [("8:38", "GR101", "unknown fact or parameter 'limmit'", "did you mean 'limit'?")],
    ),
    "unknown fact in folded text": (
        [(WHEN, "    - >\n      gpu.count > 1\n      and measured.communication_shar > limit")],
        [("8:7", "GR101", "unknown fact or parameter 'measured.communication_shar'", "did you mean 'measured.communication_share'?")],
    ),
    "number compared with text": (
        [(WHEN, "    - measured.communication_share > '30 %'")],
        [("8:7", "GR103", "'measured.communication_share > '30 %'' compares text", "text has == and != with a fact, no order")],
    ),
    "number among members": (
        [(WHEN, "    - gpu.count in ('a', 'b')")],
        [("8:7", "GR103", "'gpu.count' is a plain number, compared with text", "compare numbers with numbers")],
    ),
    "enumeration compared with a number": (
        [(WHEN, "    - workload.task > limit")],
        [("8:7", "GR103", "'workload.task > limit' compares an enumeration with a plain", "numbers compare with numbers, enumerations with strings")],
    ),
    "memory compared with power": (
        [("value: 30 %", "value: 30 GB"), ("measured.communication_share >", "gpu.power_limit >")],
        [("8:7", "GR105", "'gpu.power_limit > limit' compares a power with an amount of", "bring both to one unit; units convert themselves")],
    ),
    "memory added to power": (
        [(WHEN, "    - gpu.memory_nominal + gpu.power_limit > limit")],
        [("8:7", "GR105", "adding an amount of memory and a power in 'gpu.memory_nominal +", "bring both to one unit; units convert themselves")],
    ),
    "unknown function": (
        [(WHEN, "    - sqrt(measured.communication_share) > limit")],
        [("8:7", "GR107", "unknown function 'sqrt'", "functions are ceil, divides, floor, hull, log2, lookup")],
    ),
    "function misspelt": (
        [(WHEN, "    - ciel(measured.communication_share) > limit")],
        [("8:7", "GR107", "unknown function 'ciel'", "did you mean 'ceil'?")],
    ),
    "too many arguments": (
        [(WHEN, "    - ceil(measured.communication_share, limit) > limit")],
        [("8:7", "GR107", "ceil takes 1 argument, not 2", "see the functions in docs/rules.md")],
    ),
    "whole number of bytes": (
        [(WHEN, "    - ceil(gpu.memory_nominal) > limit")],
        [("8:12", "GR105", "ceil takes plain numbers, 'gpu.memory_nominal' is an amount of", "divide by a parameter of the same unit first")],
    ),
    "bare number": (
        [
            (WHEN, "    - measured.communication_share > 0.3"),
            ("  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n", ""),
            ("parameters:\n", ""),
            (", above {{ limit }}", ""),
            ("，超过 {{ limit }}", ""),
        ],
        [("8:38", "GR102", "bare number 0.3", "name it under parameters:, with unit, source and date")],
    ),
    "citation missing": (
        [("cites: [A04]\ncases", "cases")],
        [("1:1", "GR401", "the file lacks cites", "add cites:")],
    ),
    "no citation": (
        [("cites: [A04]\ncases", "cites: []\ncases")],
        [("16:8", "GR401", "cites is empty", "give at least one, or leave the key out where it may be")],
    ),
    "parameter without citation": (
        [("value: 30 %, cites: [A04],", "value: 30 %,")],
        [("10:10", "GR401", "parameters.limit lacks cites", "add cites:")],
    ),
    "unknown claim": (
        [("cites: [A04]\ncases", "cites: [A04, A999]\ncases")],
        [("16:14", "GR404", "cites unknown claim 'A999'", "claims stand in catalogs/claims.yaml")],
    ),
    "unknown claim of a parameter": (
        [("value: 30 %, cites: [A04]", "value: 30 %, cites: [A4]")],
        [("10:32", "GR404", "cites unknown claim 'A4'", "did you mean 'A54'?")],
    ),
    "id twice": (
        {"COM-901-more.yaml": [], "more/COM-901-again.yaml": []},
        [
            (
                "rules/more/COM-901-again.yaml:1:5",
                "GR402",
                "rule COM-901 also stands in rules/COM-901-more.yaml",
                "give it the next free id; an id is never used again",
            )
        ],
    ),
    "key twice": (
        [("status: active\n", "status: active\nstatus: draft\n")],
        [("4:1", "GR004", "key 'status' stands twice; first at ", "keep one of the two")],
    ),
    "wrong file name": (
        [("id: COM-901", "id: COM-902")],
        [("1:5", "GR403", "rule COM-902 stands in a file of another name", "call the file COM-902-<slug>.yaml")],
    ),
    "unknown action": (
        [("add_cards", "add_card")],
        [("12:52", "GR405", "unknown action 'add_card'", "did you mean 'add_cards'?")],
    ),
    "unknown topic": (
        [("topic: scaling", "topic: scalling")],
        [("12:21", "GR405", "unknown topic 'scalling'", "did you mean 'scaling'?")],
    ),
    "unknown level": (
        [("level: avoid", "level: avoidd")],
        [("12:37", "GR401", "then.0.advise.level is 'avoidd'", "did you mean 'avoid'?")],
    ),
    "unknown key": (
        [("status: active", "status: active\nowner: me")],
        [("4:1", "GR401", "unknown key 'owner' in the file", "known keys: id, version, status, title, for_each, needs")],
    ),
    "key misspelt": (
        [("because:", "becuase:")],
        [("1:1", "GR401", "the file lacks because", "add because:"), ("13:1", "GR401", "unknown key 'becuase' in the file", "did you mean 'because'?")],
    ),
    "broken YAML": (
        [("topic: scaling,", "topic: scaling: x,")],
        [("12:28", "GR003", "is not YAML: did not find expected ',' or '}'", "check indentation, colons and quotes; put text with ': ' or")],
    ),
    "colon in a condition": (
        [(WHEN, "    - measured.communication_share > limit: yes")],
        [("8:7", "GR401", "unknown key 'measured.communication_share > limit' in when.all.1", "known keys: all, any, not")],
    ),
    "brace missing": (
        [('{{ limit }}."', '{{ limit }."')],
        [("14:70", "GR120", "braces that hold no figure", "write {{ fact or parameter }}; nothing else runs in a text")],
    ),
    "unknown parameter in a text": (
        [('{{ limit }}."', '{{ limmit }}."')],
        [("14:73", "GR101", "unknown fact or parameter 'limmit' in the text", "did you mean 'limit'?")],
    ),
    "unknown format in a text": (
        [('{{ limit }}."', '{{ limit | upper }}."')],
        [("14:70", "GR120", "unknown format in '{{ limit | upper }}'", "formats are percent, low, high")],
    ),
    "attribute in a text": (
        [('{{ limit }}."', '{{ limit.__class__ }}."')],
        [("14:73", "GR101", "unknown fact or parameter 'limit.__class__' in the text", "facts are listed in schemas/vocabulary")],
    ),
    "statement in a text": (
        [('{{ limit }}."', '{% for x in y %}."')],
        [("14:70", "GR120", "braces that hold no figure", "write {{ fact or parameter }}; nothing else runs in a text")],
    ),
    "units in a text": (
        [('{{ limit }}."', '{{ limit + gpu.power_limit }}."')],
        [("14:73", "GR105", "adding a plain number and a power in 'limit + gpu.power_limit'", "bring both to one unit; units convert themselves")],
    ),
    "two operators": (
        [(WHEN, "    - measured.communication_share > > limit")],
        [("8:38", "GR100", "not an expression of the rule language", "allowed are names, strings, + - * /, comparisons, in (...)")],
    ),
    "call of an attribute": (
        [(WHEN, "    - \"__import__('os').system('ls')\"")],
        [("8:8", "GR100", "'__import__('os').system('ls')' is not part of the rule language", "allowed are names, strings, + - * /, comparisons, in (...)")],
    ),
    "lambda": (
        [(WHEN, '    - "(lambda: 1)() > limit"')],
        [("8:8", "GR100", "'(lambda: 1)()' is not part of the rule language", "allowed are names, strings, + - * /, comparisons, in (...)")],
    ),
    "subscript": (
        [(WHEN, '    - "gpu.count[0] > limit"')],
        [("8:8", "GR100", "'gpu.count[0]' is not part of the rule language", "allowed are names, strings, + - * /, comparisons, in (...)")],
    ),
    "and with or": (
        [(WHEN, "    - gpu.count > 1 and gpu.count > 0 or measured.communication_share > limit")],
        [("8:7", "GR100", "'and' mixed with 'or' without brackets", "put brackets around one of them: a and (b or c)")],
    ),
    "power": (
        [(WHEN, "    - gpu.count ** limit > 1")],
        [("8:7", "GR100", "'gpu.count ** limit' is not part of the rule language", "allowed are names, strings, + - * /, comparisons, in (...)")],
    ),
    "True": (
        [(WHEN, "    - gpu.count > 1 and True")],
        [("8:25", "GR100", "True and False are not part of the language", "write the yes/no fact alone, or 'not' before it")],
    ),
    "number too large": (
        [(WHEN, "    - gpu.count > 1e999")],
        [("8:19", "GR100", "number is too large", "name it as a parameter, with unit and source")],
    ),
    "thirty levels": (
        [
            (
                WHEN,
                "    - measured.communication_share > limit\n    - {all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [gpu.count > 1]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}",
            )
        ],
        [("9:84", "GR004", "is nested too deeply", "at most 24 levels")],
    ),
    "sixty minus signs": (
        [(WHEN, "    - ------------------------------------------------------------gpu.count > limit")],
        [("8:47", "GR100", "expression is nested too deeply", "split it: at most 40 levels")],
    ),
    "expression too long": (
        [
            (
                WHEN,
                "    - gpu.count > limit                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        + limit",
            )
        ],
        [("8:7", "GR100", "expression of 1024 characters", "split it: at most 1000 characters; use all: with several")],
    ),
    "parameter without date": (
        [(", since: 2026-01-01", "")],
        [("10:10", "GR413", "parameter 'limit' has no date", "add since: with the day from which it holds")],
    ),
    "day that is none": (
        [("since: 2026-01-01", "since: 2026-13-45")],
        [("10:45", "GR413", "'2026-13-45' is not a day", "write it as 2026-11-30")],
    ),
    "date as a word": (
        [("since: 2026-01-01", "since: yesterday")],
        [("10:45", "GR401", "parameters.limit.since is 'yesterday'", "write it like 2026-11-30")],
    ),
    "unused parameter": (
        [("share > limit", "share > limit"), ("parameters:\n", "parameters:\n  spare: {value: 2, cites: [A04], since: 2026-01-01}\n")],
        [("10:10", "GR414", "parameter 'spare' is used nowhere", "use it, or remove it")],
    ),
    "parameter of text": (
        [("value: 30 %", "value: many")],
        [("10:18", "GR303", "'many' is not a quantity", "write a number with its unit, e.g. '24 GB', '34 %', '7B'")],
    ),
    "parameter with an open end": (
        [("value: 30 %", 'value: ">= 30 %"')],
        [("10:18", "GR303", "'>= 30 %' has an open end", "give both ends: a parameter is a figure with a source")],
    ),
    "billions or bytes": (
        [("value: 30 %", "value: 7B")],
        [("10:18", "GR303", "'7B' may mean bytes or billions", "write '10 byte' or '10B parameters'")],
    ),
    "unknown unit": (
        [("value: 30 %", "value: 30 Gigs")],
        [("10:18", "GR303", "'Gigs' in '30 Gigs' is not a unit", "did you mean 'Gbits'?")],
    ),
    "parameter without value": (
        [("value: 30 %, ", "")],
        [("10:10", "GR401", "parameters.limit needs value or keys and rows", "give one of them")],
    ),
    "name of a parameter": (
        [("  limit:", "  Limit:")],
        [("10:3", "GR401", "'Limit' cannot be a name in parameters", "write it like communication_limit")],
    ),
    "dated values of two units": (
        [("value: 30 %,", "value: [{since: 2025-01-01, value: 30 %}, {since: 2026-01-01, value: 30 W}],")],
        [("10:80", "GR105", "the values of 'limit' have different units", "give every value in one unit")],
    ),
    "needs a derived fact": (
        [("when:\n", "needs: [memory.rule_of_thumb]\nwhen:\n")],
        [("5:9", "GR411", "needs names 'memory.rule_of_thumb', which nobody states", "name the given facts that it is derived from")],
    ),
    "needs an unknown fact": (
        [("when:\n", "needs: [gpu.cuont]\nwhen:\n")],
        [("5:9", "GR101", "unknown fact 'gpu.cuont'", "did you mean 'gpu.count'?")],
    ),
    "candidate in a workload rule": (
        [(WHEN, "    - candidate.count > limit")],
        [
            ("8:7", "GR109", "'candidate.count > limit' can never change: the two sides", "check the figure and its unit"),
            ("8:7", "GR415", "'candidate.count' stands in a rule about the workload", "add for_each: candidate, or use gpu.*"),
        ],
    ),
    "require in a workload rule": (
        [(THEN, "  - require: gpu.count > 1")],
        [("12:5", "GR415", "'require' stands in a rule about the workload", "add for_each: candidate")],
    ),
    "prefer in a workload rule": (
        [(THEN, "  - prefer: {figure: gpu.count, direction: low}")],
        [("12:5", "GR415", "'prefer' stands in a rule about the workload", "add for_each: candidate")],
    ),
    "deciding by what was chosen": (
        [
            ("title: {en: More", "for_each: candidate\ntitle: {en: More"),
            (WHEN, "    - candidate.finalists > 1"),
            (THEN, "  - require: candidate.count > 1"),
            ("parameters:\n  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n", ""),
            (", above {{ limit }}", ""),
            ("，超过 {{ limit }}", ""),
        ],
        [("11:3", "GR422", "what follows hangs on candidate.finalist…", "advise only")],
    ),
    "criterion that is no single figure": (
        [("when:\n", "for_each: candidate\nwhen:\n"), (THEN, "  - prefer: {figure: candidate.count * candidate.power_limit, direction: low}")],
        [("13:22", "GR420", "a criterion is no single figure of a candidate", "derive it as a fact candidate.*")],
    ),
    "order of criteria that hangs on a candidate": (
        [("when:\n", "for_each: candidate\nwhen:\n"), (WHEN, "    - candidate.count > limit"), (THEN, "  - prefer: {figure: candidate.power, direction: low}")],
        [
            ("9:7", "GR109", "'candidate.count > limit' can never change: the two sides", "check the figure and its unit"),
            ("13:5", "GR420", "the order of criteria hangs on a candidate", "let when: speak of the workload alone"),
        ],
    ),
    "derives a given fact": (
        [(THEN, "  - derive: {gpu.count: limit}")],
        [("12:14", "GR410", "'gpu.count' is observed, not derived", "derive a fact of kind derived, or assume: it")],
    ),
    "derives an unknown fact": (
        [(THEN, "  - derive: {memory.rule_of_tumb: limit * gpu.memory_nominal}")],
        [("12:14", "GR101", "unknown fact 'memory.rule_of_tumb'", "did you mean 'memory.rule_of_thumb'?")],
    ),
    "derives a candidate fact in a workload rule": (
        [(THEN, "  - derive: {candidate.memory_need: limit * gpu.memory_nominal}")],
        [("12:14", "GR415", "'candidate.memory_need' is derived in the wrong stratum", "candidate.* is derived by rules with for_each: candidate")],
    ),
    "derives another unit": (
        [(THEN, "  - derive: {memory.rule_of_thumb: limit * gpu.power_limit}")],
        [("12:36", "GR105", "gives a power, where an amount of memory is wanted", "bring it to the fact's unit")],
    ),
    "derives no expression": (
        [(THEN, "  - derive: {memory.rule_of_thumb: limit * }")],
        [("12:43", "GR100", "not an expression of the rule language", "allowed are names, strings, + - * /, comparisons, in (...)")],
    ),
    "assumes an unknown member": (
        [(THEN, "  - assume: {training.precision: bf17_mixed}")],
        [("12:34", "GR306", "training.precision has no member 'bf17_mixed'", "did you mean 'bf16_mixed'?")],
    ),
    "asks for an unknown fact": (
        [(THEN, "  - ask: training.precisoin")],
        [("12:10", "GR101", "unknown fact 'training.precisoin'", "did you mean 'training.precision'?")],
    ),
    "step of an unknown fact": (
        [(THEN, "  - step: {set: {training.chekpointing: full}}")],
        [("12:18", "GR101", "unknown fact 'training.chekpointing'", "did you mean 'training.checkpointing'?")],
    ),
    "step to an unknown member": (
        [(THEN, "  - step: {set: {training.checkpointing: fulll}}")],
        [("12:42", "GR306", "training.checkpointing has no member 'fulll'", "did you mean 'full'?")],
    ),
    "two conclusions in one": (
        [(THEN, "  - advise: {topic: scaling, level: avoid, action: add_cards}\n    ask: gpu.count")],
        [("12:5", "GR401", "then.0 has 2 keys, advise, ask", "write one key; begin each item of a list with its own -")],
    ),
    "unknown conclusion": (
        [("  - advise: {topic", "  - advice: {topic")],
        [("12:5", "GR401", "unknown key 'advice' in then.0", "did you mean 'advise'?")],
    ),
    "conclusions are no list": (
        [(THEN, "  advise: {topic: scaling, level: avoid, action: add_cards}")],
        [("12:3", "GR401", "then must be a list, not '{'advise': {'topic': 'scaling", "see the rule format in docs/rules.md")],
    ),
    "threshold out of reach": (
        [("value: 30 %", "value: 130 %")],
        [("8:7", "GR109", "'measured.communication_share > limit' can never change: the", "check the figure and its unit")],
    ),
    "unknown member": (
        [("'full_finetune'", "'full_finetun'")],
        [("7:7", "GR110", "'full_finetun' is not a member of 'workload.task'", "did you mean 'full_finetune'?")],
    ),
    "overrides an unknown rule": (
        [("when:\n", "overrides: [COM-9]\nwhen:\n")],
        [("5:13", "GR406", "overrides unknown rule 'COM-9'", "did you mean 'COM-901'?")],
    ),
    "ring of overrides": (
        {
            "COM-901-more.yaml": [("when:\n", "overrides: [COM-902]\nwhen:\n")],
            "COM-902-x.yaml": [("COM-901", "COM-902"), ("when:\n", "overrides: [COM-901]\nwhen:\n")],
        },
        [("5:12", "GR406", "rules override each other in a ring: COM-901 → COM-902 → COM-901", "remove one of the overrides")],
    ),
    "two rules derive one fact": (
        {
            "COM-901-more.yaml": [(THEN, "  - derive: {memory.rule_of_thumb: limit * gpu.memory_nominal}")],
            "COM-902-x.yaml": [(THEN, "  - derive: {memory.rule_of_thumb: limit * gpu.memory_nominal}"), ("COM-901", "COM-902")],
        },
        [
            (
                "rules/COM-902-x.yaml:12:14",
                "GR408",
                "COM-901 and COM-902 both derive 'memory.rule_of_thumb', and",
                "add overrides: [COM-901] to COM-902 (or the reverse), or",
            )
        ],
    ),
    "two rules assume one fact": (
        {
            "COM-901-more.yaml": [(THEN, "  - assume: {training.precision: bf16_mixed}")],
            "COM-902-x.yaml": [(THEN, "  - assume: {training.precision: bf16_mixed}"), ("COM-901", "COM-902")],
        },
        [
            (
                "rules/COM-902-x.yaml:12:14",
                "GR409",
                "COM-901 and COM-902 both assume 'training.precision', and",
                "add overrides: [COM-901] to COM-902 (or the reverse), or",
            )
        ],
    ),
    "circle of derived facts": (
        {
            "COM-901-more.yaml": [(THEN, "  - derive: {memory.minimum: limit * memory.recommended}")],
            "COM-902-x.yaml": [("COM-901", "COM-902"), (THEN, "  - derive: {memory.recommended: limit * memory.minimum}")],
        },
        [("12:14", "GR407", "derived facts go round in a circle: memory.minimum ←", "derive one of them from given facts")],
    ),
    "fact derived from itself": (
        [(THEN, "  - derive: {memory.minimum: limit * memory.minimum}")],
        [("12:14", "GR407", "derived facts go round in a circle: memory.minimum ←", "derive one of them from given facts")],
    ),
    "version of two parts": (
        [("version: 1.0.0", "version: 1.0")],
        [("2:10", "GR401", "version must be text, not '1.0'", "write it like 1.0.0")],
    ),
    "version as a word": (
        [("version: 1.0.0", "version: one")],
        [("2:10", "GR401", "version is 'one'", "write it like 1.0.0")],
    ),
    "unknown status": (
        [("status: active", "status: actve")],
        [("3:9", "GR401", "status is 'actve'", "did you mean 'active'?")],
    ),
    "id in small letters": (
        [("id: COM-901", "id: com-901")],
        [("1:5", "GR401", "id is 'com-901'", "write it like MEM-001")],
    ),
    "title in one language": (
        [(", zh: 加卡不再提速", "")],
        [("4:8", "GR401", "title lacks zh", "add zh:")],
    ),
    "title without languages": (
        [("{en: More cards no longer speed training up, zh: 加卡不再提速}", "More cards")],
        [("4:8", "GR401", "title must be a group of keys, not 'More cards'", "write it like {en: More cards no longer help, zh: 加卡无益}")],
    ),
    "no cases": (
        [("cases:\n  - {name: above, facts: {workload.task: pretrain, measured.communication_share: 31 %}, fires: yes}\n", "cases: []\n")],
        [("17:8", "GR401", "cases is empty", "give at least one, or leave the key out where it may be")],
    ),
    "case that fires maybe": (
        [("fires: yes", "fires: maybe")],
        [("18:96", "GR401", "cases.0.fires is 'maybe'", "write one of yes, no, depends")],
    ),
    "case without outcome": (
        [(", fires: yes", "")],
        [("18:5", "GR401", "cases.0 needs fires or derives or accepts", "give one of them")],
    ),
    "empty file": (
        {"COM-901-more.yaml": ""},
        [("rules/COM-901-more.yaml", "GR001", "is empty", "write at least one key, e.g. workload.task: inference")],
    ),
    "a list": (
        {"COM-901-more.yaml": "- a\n"},
        [("1:1", "GR401", "the file must be a group of keys, not '['a']'", "see the rule format in docs/rules.md")],
    ),
    "binary": (
        {"COM-901-more.yaml": b"\xff\xfe\x00"},
        [("1:1", "GR002", "is not UTF-8 text", "save the file as UTF-8")],
    ),
    "tab": (
        [("  all:", "\tall:")],
        [("6:1", "GR003", "is not YAML: found character that cannot start any token", "use spaces, not tabs, for indentation")],
    ),
    "folder without rules": (
        {},
        [("r", "GR001", "holds no rules", "name a folder that holds <ID>-<slug>.yaml files")],
    ),
    "alias bomb": (
        {
            "COM-901-more.yaml": "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g,*g]\ni: &i [*h,*h,*h,*h,*h,*h,*h,*h,*h,*h]\n"
        },
        [("5:17", "GR004", "holds more than 50,000 values, aliases counted as often as used", "split the file")],
    ),
    "more than a megabyte": (
        {"COM-901-more.yaml": RULE + "#" + "x" * 1_000_001},
        [("rules/COM-901-more.yaml", "GR001", "is larger than 1,000,000 bytes", "give the facts of one workload, or one rule, a file")],
    ),
    "condition is a number": (
        [(WHEN, "    - 5")],
        [("8:7", "GR401", "when.all.1 must be text or a group of keys, not '5'", "see the rule format in docs/rules.md")],
    ),
    "condition is arithmetic": (
        [(WHEN, "    - gpu.count + 1")],
        [("8:7", "GR104", "'gpu.count + 1' is a plain number, where a condition is wanted", "write a comparison, e.g. gpu.count > 1, or fact in ('a")],
    ),
    "condition is a string": (
        [(WHEN, "    - \"'lora'\"")],
        [("8:8", "GR104", "the string 'lora' stands alone", "compare it with a fact: fact == 'member'")],
    ),
    "unknown connective": (
        [("  all:", "  xor:")],
        [("6:3", "GR401", "unknown key 'xor' in when", "known keys: all, any, not")],
    ),
    "empty condition": (
        [("  all:\n    - workload.task in ('pretrain', 'full_finetune')\n    - measured.communication_share > limit", "  all: []")],
        [("6:8", "GR401", "when.all is empty", "give at least one, or leave the key out where it may be")],
    ),
    "unknown confidence": (
        [("cites: [A04]\ncases", "confidence: certain\ncites: [A04]\ncases")],
        [("16:13", "GR401", "confidence is 'certain'", "write one of high, medium, low")],
    ),
    "unknown for_each": (
        [("when:\n", "for_each: card\nwhen:\n")],
        [("5:11", "GR401", "for_each is 'card'", "write one of candidate")],
    ),
    "terminal escape": (
        [("status: active", 'status: "\\e[31mactive"')],
        [("3:9", "GR401", "status is '\\x1b[31mactive'", "did you mean 'active'?")],
    ),
    "right-to-left mark in a key": (
        [("status: active", 'status: active\n"\\u202eevil": 1')],
        [("4:1", "GR401", "unknown key '\\u202eevil' in the file", "known keys: id, version, status, title, for_each, needs")],
    ),
    "four faults": (
        [("COM-901", "COM-902"), ("share > limit", "shar > limit"), ("add_cards", "add_crads"), ("cites: [A04]\ncases", "cites: [A99]\ncases")],
        [
            ("1:5", "GR403", "rule COM-902 stands in a file of another name", "call the file COM-902-<slug>.yaml"),
            ("8:7", "GR101", "unknown fact or parameter 'measured.communication_shar'", "did you mean 'measured.communication_share'?"),
            ("12:52", "GR405", "unknown action 'add_crads'", "did you mean 'add_cards'?"),
            ("16:9", "GR404", "cites unknown claim 'A99'", "did you mean 'S99'?"),
        ],
    ),
    "three faults of structure": (
        [("status: active", "status: actve"), ("version: 1.0.0", "version: x"), ("level: avoid", "level: av")],
        [
            ("2:10", "GR401", "version is 'x'", "write it like 1.0.0"),
            ("3:9", "GR401", "status is 'actve'", "did you mean 'active'?"),
            ("12:37", "GR401", "then.0.advise.level is 'av'", "write one of stop, avoid, caution, recommend, note"),
        ],
    ),
    "division by 0": (
        [(WHEN, "    - gpu.count / 0 > limit")],
        [("8:19", "GR106", "division by 0", "divide by a fact or parameter")],
    ),
    "chain with an unknown parameter": (
        [(WHEN, "    - 0 < gpu.count < limitt")],
        [("8:23", "GR101", "unknown fact or parameter 'limitt'", "did you mean 'limit'?")],
    ),
    "member misspelt in a list": (
        [(WHEN, "    - workload.task in ['lora', 'qlorra']")],
        [("8:7", "GR110", "'qlorra' is not a member of 'workload.task'", "did you mean 'qlora'?")],
    ),
    "member misspelt alone": (
        [(WHEN, "    - workload.task in ('lorra')")],
        [("8:7", "GR110", "'lorra' is not a member of 'workload.task'", "did you mean 'lora'?")],
    ),
    "is": (
        [(WHEN, "    - workload.task is 'lora'")],
        [("8:7", "GR100", "'is' is not part of the language", "allowed are names, strings, + - * /, comparisons, in (...)")],
    ),
    "single equals sign": (
        [(WHEN, "    - workload.task = 'lora'")],
        [("8:21", "GR100", "not an expression of the rule language", "compare with ==; a single = has no meaning here")],
    ),
    "&& for and": (
        [(WHEN, "    - gpu.count > 1 && gpu.count > limit")],
        [("8:22", "GR100", "not an expression of the rule language", "write and, or, not")],
    ),
    "per cent in a condition": (
        [(WHEN, "    - measured.communication_share > 30 %")],
        [("8:42", "GR100", "not an expression of the rule language", "name the figure under parameters:, with unit, source and")],
    ),
    "unit in a condition": (
        [(WHEN, "    - gpu.memory_nominal > 24 GB")],
        [("8:31", "GR100", "not an expression of the rule language", "name the figure under parameters:, with unit, source and")],
    ),
    "table missing": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("12:5", "GR418", "table 'state' has no row for full_offloaded", "add the row, or one with any")],
    ),
    "table doubled": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    - {key: [none], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("18:7", "GR418", "none also stands at line 14", "give each case one row")],
    ),
    "table any doubled": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    - {key: [any], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("18:7", "GR418", "none also stands at line 14", "give each case one row")],
    ),
    "table unknown member": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [fulll], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("14:7", "GR110", "'fulll' is not a member of 'training.checkpointing'", "did you mean 'full'?")],
    ),
    "table units": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none], value: 2 W}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [
            ("15:33", "GR105", "the values of 'state' have different units", "give every value in one unit"),
            ("16:28", "GR105", "the values of 'state' have different units", "give every value in one unit"),
            ("17:38", "GR105", "the values of 'state' have different units", "give every value in one unit"),
        ],
    ),
    "table key count": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none, x], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("14:7", "GR418", "a row of 'state' has 2 keys, not 1", "give one part for each key")],
    ),
    "table row claim": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none], value: 2 byte, cites: [A444]}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("14:7", "GR404", "cites unknown claim 'A444'", "did you mean 'A44'?")],
    ),
    "table number key": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [gpu.count]\n    rows:\n    - {key: [none], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [
            ("8:21", "GR108", "'training.checkpointing' is not the fact that the table's key", "give the facts in the order of keys:"),
            ("12:5", "GR418", "key 'gpu.count' of table 'state' is a number", "keys are facts of an enumeration"),
        ],
    ),
    "table unknown key fact": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.chekpointing]\n    rows:\n    - {key: [none], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [
            ("8:7", "GR108", "the table is read with 0 keys, not 1", "give one fact for each key"),
            ("12:5", "GR101", "unknown fact 'training.chekpointing'", "did you mean 'training.checkpointing'?"),
        ],
    ),
    "table not looked up": (
        [
            (WHEN, "    - state > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("8:7", "GR103", "'state > share' compares a table with an amount of memory", "a table is read with lookup(table, key)")],
    ),
    "table wrong fact": (
        [
            (WHEN, "    - lookup(state, training.precision) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("8:21", "GR108", "'training.precision' is not the fact that the table's key names", "give the facts in the order of keys:")],
    ),
    "table no key": (
        [
            (WHEN, "    - lookup(state) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("8:7", "GR107", "lookup takes 2 to 5 arguments, not 1", "see the functions in docs/rules.md")],
    ),
    "table two keys": (
        [
            (WHEN, "    - lookup(state, training.checkpointing, training.precision) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none], value: 2 byte}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("8:7", "GR108", "the table is read with 1 key, not 2", "give one fact for each key")],
    ),
    "lookup non table": (
        [(WHEN, "    - lookup(limit, training.precision) > limit")],
        [("8:14", "GR108", "'limit' is a plain number, not a table", "name a parameter with keys: and rows:")],
    ),
    "table no rows": (
        [("value: 30 %, cites", "keys: [training.checkpointing], cites")],
        [("10:10", "GR401", "parameters.limit needs value or keys and rows", "give one of them")],
    ),
    "table and value": (
        [("value: 30 %, cites", "value: 30 %, keys: [training.checkpointing], rows: [{key: [any], value: 1}], cites")],
        [("10:10", "GR401", "parameters.limit needs value or keys and rows", "give one of them")],
    ),
    "table row no value": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none]}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("14:7", "GR401", "parameters.state.rows.0 lacks value", "add value:")],
    ),
    "table nan": (
        [
            (WHEN, "    - lookup(state, training.checkpointing) > share"),
            ("{{ measured.communication_share }}, above {{ limit }}", "x"),
            ("{{ measured.communication_share }}，超过 {{ limit }}", "x"),
            (
                "  limit: {value: 30 %, cites: [A04], since: 2026-01-01}\n",
                "  share: {value: 1 byte, cites: [A04], since: 2026-01-01}\n  state:\n    keys: [training.checkpointing]\n    rows:\n    - {key: [none], value: .nan}\n    - {key: [selective], value: 2 byte}\n    - {key: [full], value: 2 byte}\n    - {key: [full_offloaded], value: 2 byte}\n    cites: [A04]\n    since: 2026-01-01\n",
            ),
        ],
        [("14:28", "GR303", "'.nan' is not a quantity", "write a number with its unit, e.g. '24 GB', '34 %', '7B'")],
    ),
    "requires what is left open": (
        [
            ("when:\n", "for_each: candidate\nwhen:\n"),
            (WHEN, "    - candidate.count > one"),
            ("limit: {value: 30 %", "one: {value: 1"),
            (", above {{ limit }}", ""),
            ("，超过 {{ limit }}", ""),
            (THEN, "  - derive: {candidate.memory_need: candidate.memory_usable}\n  - require: candidate.memory_need < candidate.memory_usable"),
        ],
        [("14:5", "GR416", "requires 'candidate.memory_need', whose rules (COM-901) leave", "let its rules cover every case, or a candidate may stay")],
    ),
    "candidate rule derives a workload fact": (
        [
            ("when:\n", "for_each: candidate\nwhen:\n"),
            (WHEN, "    - candidate.count > one"),
            ("limit: {value: 30 %", "one: {value: 1"),
            (", above {{ limit }}", ""),
            ("，超过 {{ limit }}", ""),
            (THEN, "  - derive: {memory.minimum: candidate.memory_usable}"),
        ],
        [("13:14", "GR415", "'memory.minimum' is derived in the wrong stratum", "candidate.* is derived by rules with for_each: candidate")],
    ),
    "prefers an enumeration": (
        [("when:\n", "for_each: candidate\nwhen:\n"), (THEN, "  - prefer: {figure: training.precision, direction: low}")],
        [("13:22", "GR104", "'training.precision' is an enumeration, where a number is wanted", "write an arithmetic expression over numeric facts and")],
    ),
    "prefers another direction": (
        [("when:\n", "for_each: candidate\nwhen:\n"), (THEN, "  - prefer: {figure: candidate.count, direction: down}")],
        [("13:50", "GR401", "then.0.prefer.direction is 'down'", "write one of high, low")],
    ),
    "requires arithmetic": (
        [("when:\n", "for_each: candidate\nwhen:\n"), (THEN, "  - require: candidate.count + 1")],
        [("13:14", "GR104", "'candidate.count + 1' is a plain number, where a condition is", "write a comparison, e.g. gpu.count > 1, or fact in ('a")],
    ),
    "candidate rule overrides a workload rule": (
        {
            "COM-901-more.yaml": [("when:\n", "for_each: candidate\nwhen:\n"), ("when:", "overrides: [COM-902]\nwhen:")],
            "COM-902-x.yaml": [("COM-901", "COM-902")],
        },
        [("6:13", "GR406", "a candidate rule overrides workload rule COM-902", "a workload rule is settled before candidates are looked at")],
    ),
    "keyword in the name of a fact": (
        {
            "rules/COM-901-more.yaml": [],
            "schemas/vocabulary/x.yaml": 'facts:\n- path: example.class.size\n  title: {en: An example, zh: x}\n  type: number\n  unit: "1"\n  range: [0, 1]\n  kind: observed\n',
            "schemas/rule.schema.json": None,
        },
        [
            (
                "schemas/vocabulary/x.yaml:2:3",
                "GR201",
                "'example.class.size' cannot be the name of a fact",
                "use lower-case words joined by dots, none of Python's",
            )
        ],
    ),
    "fact without kind": (
        {"rules/COM-901-more.yaml": [], "schemas/vocabulary/x.yaml": "facts:\n- path: example.size\n", "schemas/rule.schema.json": None},
        [("schemas/vocabulary/x.yaml:2:3", "GR201", "fact 'example.size' lacks 'kind'", "see docs on the vocabulary's keys")],
    ),
    "schemas without schema": (
        {"rules/COM-901-more.yaml": [], "schemas/vocabulary/x.yaml": "facts: []\n"},
        [("schemas/rule.schema.json", "GR001", "cannot be read, or is no JSON Schema", "copy it from the packaged schemas/")],
    ),
    "catalogue that is a list": (
        {"rules/COM-901-more.yaml": [], "catalogs/gpus.yaml": "[]\n"},
        [("catalogs/gpus.yaml:1:1", "GR202", "the file must be a group of keys, not '[]'", "compare it with the packaged catalogue")],
    ),
    "folder without catalogues": (
        {"rules/COM-901-more.yaml": [], "catalogs/x.txt": "[]\n"},
        [("catalogs/gpus.yaml", "GR001", "cannot be read: No such file or directory", "check the rulebook's folders")],
    ),
    "card without values": (
        {"rules/COM-901-more.yaml": [], "catalogs/gpus.yaml": "sources: {}\ncards:\n- name: x\n"},
        [("catalogs/gpus.yaml:3:3", "GR202", "cards.0 lacks id, values", "add id:")],
    ),
    "card whose source is none, twice": (
        {
            "rules/COM-901-more.yaml": [],
            "catalogs/gpus.yaml": "sources: {}\ncards:\n- &one {id: a, name: A, values: {gpu.tier: {value: consumer, from: [s1], confidence: table}}}\n- *one\n",
        },
        [
            ("catalogs/gpus.yaml:3:13", "GR204", "'a' also stands in line 3", "keep one of the two, or give it another id"),
            ("catalogs/gpus.yaml:3:69", "GR203", "there is no source 's1'", "sources stand at the head of the file"),
        ],
    ),
    "values of cards that are none": (
        {
            "rules/COM-901-more.yaml": [],
            **PACKAGED,
            "catalogs/gpus.yaml": CARDS,
        },
        [
            ("catalogs/gpus.yaml:6:5", "GR203", "there is no fact 'gpu.teir'", "did you mean 'gpu.tier'?"),
            ("catalogs/gpus.yaml:7:33", "GR303", "gpu.memory_nominal 'GZ' in '24 GZ' is not a unit", "write it like"),
            ("catalogs/gpus.yaml:8:24", "GR306", "interconnect.kind has no member 'pice'", "did you mean 'pcie'?"),
        ],
    ),
    "prices that are none": (
        {
            "rules/COM-901-more.yaml": [],
            **PACKAGED,
            "catalogs/prices.yaml": PRICES,
        },
        [
            ("catalogs/prices.yaml:1:12", "GR203", "there is no fact 'budget.totel'", "did you mean 'budget.total'?"),
            ("catalogs/prices.yaml:4:8", "GR203", "there is no entry of gpu.name called 'rtx-4091'", "did you mean"),
            ("catalogs/prices.yaml:4:54", "GR303", "budget.card_price 'EURO' in '900 EURO' is not a unit", "write it like"),
            ("catalogs/prices.yaml:6:8", "GR203", "there is no entry of site.region called 'atlantis'", "give it an id that has one"),
        ],
    ),
    "price without its month": (
        {
            "rules/COM-901-more.yaml": [],
            **PACKAGED,
            "catalogs/prices.yaml": PRICES.replace("2026-05", "spring"),
        },
        [("catalogs/prices.yaml:2:37", "GR202", "sources.p1.date is 'spring'", "write it like 2026-05")],
    ),
    "claims that are a list": (
        {
            "rules/COM-901-more.yaml": [],
            **PACKAGED,
            "catalogs/claims.yaml": "[]\n",
        },
        [("catalogs/claims.yaml:1:1", "GR202", "the file must be a group of keys, not '[]'", "compare it with the packaged catalogue")],
    ),
    "claim without source": (
        {
            "rules/COM-901-more.yaml": [],
            "catalogs/gpus.yaml": None,
            "catalogs/models.yaml": None,
            "catalogs/claims.yaml": "sources: {}\nclaims:\n- {id: A01}\n",
            "catalogs/conflicts.yaml": None,
            "catalogs/interconnects.yaml": None,
        },
        [("catalogs/claims.yaml:3:3", "GR202", "claims.0 lacks source, says", "add source:")],
    ),
    "conflict of claims that are none": (
        {
            "rules/COM-901-more.yaml": [],
            **PACKAGED,
            "catalogs/conflicts.yaml": CONFLICTS,
        },
        [
            ("catalogs/conflicts.yaml:2:27", "GR203", "there is no claim 'Q77'", "did you mean"),
            ("catalogs/conflicts.yaml:2:51", "GR203", "there is no side of this conflict called 'A02'", "did you mean 'A01'?"),
        ],
    ),
    "kind of conflict that is none": (
        {
            "rules/COM-901-more.yaml": [],
            **PACKAGED,
            "catalogs/conflicts.yaml": CONFLICTS.replace("both", "bot"),
        },
        [("catalogs/conflicts.yaml:2:39", "GR202", "conflicts.0.kind is 'bot'", "did you mean 'both'?")],
    ),
    "version and release of the rulebook": (
        {"COM-901-more.yaml": [], "rulebook.yaml": "version: one\nreleased: soon\n"},
        [
            ("rules/rulebook.yaml:1:10", "GR401", "version is 'one'", "write it like 1.0.0"),
            ("rules/rulebook.yaml:2:11", "GR401", "released is 'soon'", "write it like 2026-11-30"),
        ],
    ),
    "rulebook.yaml is a list": (
        {"COM-901-more.yaml": [], "rulebook.yaml": "- 1\n"},
        [("rules/rulebook.yaml:1:1", "GR401", "the file must be a group of keys, not '[1]'", "see the rule format in docs/rules.md")],
    ),
    "columns after Chinese": (
        [(WHEN, "    - workload.task in ('训练') and measured.communication_shar > limit")],
        [
            ("8:7", "GR110", "'训练' is not a member of 'workload.task'", "its members are pretrain, continued_pretrain"),
            ("8:35", "GR101", "unknown fact or parameter 'measured.communication_shar'", "did you mean 'measured.communication_share'?"),
        ],
    ),
    "syntax after Chinese": (
        [(WHEN, "    - workload.task in ('训练') and > limit")],
        [("8:35", "GR100", "not an expression of the rule language", "allowed are names, strings, + - * /, comparisons, in (...)")],
    ),
    "text with an escape before": (
        [('en: "Communication', 'en: "\\u0043ommunication'), ('{{ limit }}."', '{{ limmit }}."')],
        [("14:73", "GR101", "unknown fact or parameter 'limmit' in the text", "did you mean 'limit'?")],
    ),
    "two values from one day": (
        [("value: 30 %, cites: [A04], since: 2026-01-01", "value: [{since: 2025-01-01, value: 30 %}, {since: 2025-01-01, value: 40 %}], cites: [A04]")],
        [("10:10", "GR413", "two values of 'limit' hold from the same day", "keep one of the two")],
    ),
    "parameter renamed": (
        [("  limit: {value: 30 %", "  candidate: {value: 30 %")],
        [
            ("8:38", "GR101", "unknown fact or parameter 'limit'", "facts are listed in schemas/vocabulary; parameters stand in"),
            ("10:14", "GR414", "parameter 'candidate' is used nowhere", "use it, or remove it"),
            ("14:73", "GR101", "unknown fact or parameter 'limit' in the text", "facts are listed in schemas/vocabulary"),
            ("15:53", "GR101", "unknown fact or parameter 'limit' in the text", "facts are listed in schemas/vocabulary"),
        ],
    ),
    "derives an enumeration": (
        [(THEN, "  - derive: {memory.rule_of_thumb: training.precision}")],
        [("12:36", "GR104", "'training.precision' is an enumeration, where a number is wanted", "write an arithmetic expression over numeric facts and")],
    ),
    "needs a candidate fact": (
        [("when:\n", "needs: [candidate.count]\nwhen:\n")],
        [("5:9", "GR411", "needs names 'candidate.count', which nobody states", "name gpu.*, interconnect.* or parallel.*")],
    ),
    "assume derived": (
        [(THEN, "  - assume: {memory.rule_of_thumb: limit * gpu.memory_nominal}")],
        [("12:14", "GR410", "assumes 'memory.rule_of_thumb', which nobody states", "name a fact of kind observed; `gpurules facts` lists them")],
    ),
    "assume candidate": (
        [(THEN, "  - assume: {candidate.count: limit}")],
        [
            ("12:14", "GR410", "assumes 'candidate.count', which nobody states", "name a fact of kind observed; `gpurules facts` lists them"),
            ("12:31", "GR419", "assumes 0.3 for 'candidate.count', which is within 1–", "correct the figure and its unit"),
        ],
    ),
    "ask derived": (
        [(THEN, "  - ask: memory.rule_of_thumb")],
        [("12:10", "GR410", "asks for 'memory.rule_of_thumb', which nobody states", "name a fact of kind observed; `gpurules facts` lists them")],
    ),
    "step derived": (
        [(THEN, "  - step: {set: {memory.rule_of_thumb: 4 GB}}")],
        [("12:18", "GR410", "sets 'memory.rule_of_thumb', which nobody states", "name a fact of kind observed; `gpurules facts` lists them")],
    ),
    "range upside down": (
        [("value: 30 %", "value: 40..30 %")],
        [("10:18", "GR303", "'40..30 %' is upside down", "write the smaller end first")],
    ),
    "parameter of 10^400": (
        [("value: 30 %", "value: 1e400")],
        [("10:18", "GR303", "'1e400' is too large", "write a number of ordinary size")],
    ),
    "parameter that is nan": (
        [("value: 30 %", "value: .nan")],
        [("10:18", "GR303", "'.nan' is not a quantity", "write a number with its unit, e.g. '24 GB', '34 %', '7B'")],
    ),
}
ALONE = {"unknown fact", "alias bomb", "four faults"}
"""Those run as a process of their own; the others call the same command inside the test's process."""


def written(content: Edits | str | bytes | None, file: str) -> bytes:
    if content is None:
        folder, _, name = file.partition("/")
        return resources.files(f"gpurules.{folder}").joinpath(name).read_bytes()
    if isinstance(content, list):
        text = RULE
        for old, new in content:
            assert old in text, f"{old!r} does not stand in the rule"
            text = text.replace(old, new, 1)
        content = text
    return content if isinstance(content, bytes) else content.encode()


def spread(files: Edits | Files, folder: Path) -> None:
    for file, content in ({NAME: files} if isinstance(files, list) else files).items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(written(content, file))
    folder.mkdir(exist_ok=True)


def placed(faults: list[Fault]) -> list[Fault]:
    """Places as they are printed: with their file."""
    return [(f"rules/{NAME}:{place}" if place[:1].isdigit() else place, *rest) for place, *rest in faults]


def test_the_rule_itself_is_well(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from gpurules.cli.main import cli

    spread([], tmp_path / "r")
    assert CliRunner().invoke(cli, ["check", "--rules", str(tmp_path / "r")]).exit_code == 0


@pytest.mark.parametrize("name", RULES)
def test_rules(name: str, tmp_path: Path, refused: Refused) -> None:
    files, faults = RULES[name]
    spread(files, tmp_path / "r")
    refused(["check", "--rules", "r"], placed(faults), name in ALONE)


def test_every_code_of_the_linter_is_met() -> None:
    codes = {fault[1] for _, faults in RULES.values() for fault in faults}
    assert codes >= {f"GR1{n:02}" for n in (*range(11), 20)} | {f"GR4{n:02}" for n in (*range(1, 12), 13, 14, 15, 16, 18)} | {
        "GR201",
        "GR202",
        "GR203",
        "GR204",
    }
