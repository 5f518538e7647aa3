"""Machines as verdicts hold them, by id, in words: how many of which card, how they are joined, how they share the work."""

from __future__ import annotations

import re

from gpurules.engine.inquiries.tree_phrases import phrase
from gpurules.engine.knowledge.rulebook import Rulebook

_ID = re.compile(r"(own-)?(\d+)x([^/]+)/([^/]+)/([^/+]+)(?:\+tensor(\d+))?")
"""The form of `Candidate.id`."""


def machine_name(machine: str, rulebook: Rulebook, language: str) -> str:
    """`2 × NVIDIA A100 PCIe 80GB, NVLink bridge, fully sharded`; `stated` is the machine that the facts state.

    What is no id of a machine stays as it is.
    """
    if machine == "stated":
        return phrase("machine_stated", language)
    read = _ID.fullmatch(machine)
    if read is None:
        return machine
    own, count, card, link, plan, within = read.groups()
    entry = rulebook.catalogs["card"].entries.get(card)
    parts = [f"{count} × {entry.name if entry is not None else card}"]
    if int(count) > 1:
        links = (_member(rulebook, "candidate.interconnect", one, language) for one in link.split("|"))
        parts += [*links, _member(rulebook, "candidate.plan", plan, language)]
    if within:
        parts.append(phrase("machine_tensor", language, count=within))
    if own:
        parts.append(phrase("machine_own", language))
    return ("，" if language == "zh" else ", ").join(parts)


def _member(rulebook: Rulebook, path: str, member: str, language: str) -> str:
    title = rulebook.vocabulary.facts[path].members.get(member)
    return title.get(language) if title is not None else member
