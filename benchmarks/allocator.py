"""What PyTorch's caching allocator reserves beside what is allocated, where samples have one length or many (claim S218).

python benchmarks/allocator.py

Follows the large pool of c10/cuda/CUDACachingAllocator.cpp: the smallest free block that is large enough, segments of 20 MiB or in steps of 2 MiB, blocks split
and joined within their segment, nothing given back. The requests are those of LoRA with every layer checkpointed, reduced to its larger tensors.
"""

from __future__ import annotations

import bisect
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

MIB = 2**20
SHAPES = {
    "1.8B, vocabulary of 152k": (24, 2048, 5504, 151936), "7B, vocabulary of 152k": (32, 4096, 11008, 151936),
    "7B, vocabulary of 32k": (32, 4096, 11008, 32000), "13B, vocabulary of 32k": (40, 5120, 13824, 32000),
}  # fmt: skip
"""Layers, hidden size, feed-forward width, vocabulary."""


@dataclass(eq=False, slots=True)
class Block:
    size: int
    number: int
    before: Block | None = None
    after: Block | None = None
    free: bool = False


@dataclass(slots=True)
class Pool:
    """Bytes in use and reserved, and the most of either."""

    used: int = 0
    reserved: int = 0
    most_used: int = 0
    _blocks: int = 0
    _free: list[tuple[int, int, Block]] = field(default_factory=list)

    def take(self, size: int) -> Block:
        size = (max(size, 512) + 511) // 512 * 512
        place = bisect.bisect_left(self._free, (size, -1))
        if place < len(self._free):
            block = self._free.pop(place)[2]
        else:
            segment = 20 * MIB if size < 10 * MIB else (size + 2 * MIB - 1) // (2 * MIB) * 2 * MIB
            block = self._block(segment)
            self.reserved += segment
        if block.size - size > MIB:
            rest = self._block(block.size - size, block, block.after)
            if block.after:
                block.after.before = rest
            block.after, block.size = rest, size
            self._put(rest)
        block.free = False
        self.used += block.size
        self.most_used = max(self.most_used, self.used)
        return block

    def give(self, block: Block) -> None:
        self.used -= block.size
        for other in (block.after, block.before):
            if other and other.free:
                self._free.pop(bisect.bisect_left(self._free, (other.size, other.number)))
        if (after := block.after) and after.free:
            block.size, block.after = block.size + after.size, after.after
            if block.after:
                block.after.before = block
        if (before := block.before) and before.free:
            before.size, before.after = before.size + block.size, block.after
            if block.after:
                block.after.before = before
            block = before
        self._put(block)

    def _block(self, size: int, before: Block | None = None, after: Block | None = None) -> Block:
        self._blocks += 1
        return Block(size, self._blocks, before, after)

    def _put(self, block: Block) -> None:
        block.free = True
        bisect.insort(self._free, (block.size, block.number, block))


def step(pool: Pool, tokens: int, shape: tuple[int, int, int, int]) -> None:
    """Forward and backward of one sample."""
    layers, hidden, width, vocabulary = shape
    narrow, wide = 2 * hidden * tokens, 2 * width * tokens
    within = [2 * narrow, *[narrow] * 7, 2 * narrow, narrow, *[wide] * 4, narrow]  # norm in fp32, attention and its inputs, residual, norm, feed-forward
    kept = [pool.take(narrow)]
    for _ in range(layers):
        held = [pool.take(size) for size in within]
        kept.append(pool.take(narrow))
        _give(pool, held)
    half, single = 2 * vocabulary * tokens, 4 * vocabulary * tokens
    logits, shifted, raised, kept_loss = (pool.take(size) for size in (half, half, single, single))
    _give(pool, (raised, pool.take(single), shifted))
    first = pool.take(single)
    second = pool.take(single)
    _give(pool, (first, kept_loss))
    third = pool.take(half)
    pool.give(second)
    gradient = pool.take(narrow)
    _give(pool, (third, logits, kept.pop()))
    while kept:
        held = [pool.take(size) for size in (*within, narrow, wide, wide, wide, narrow)]
        passed = pool.take(narrow)
        _give(pool, (*held, gradient, kept.pop()))
        gradient = passed
    pool.give(gradient)


def _give(pool: Pool, blocks: Iterable[Block]) -> None:
    for block in blocks:
        pool.give(block)


def beyond(shape: tuple[int, int, int, int], lengths: Sequence[int]) -> float:
    """What is reserved beyond what was allocated at the most, as a share of that."""
    pool = Pool()
    for tokens in lengths:
        step(pool, tokens, shape)
    return pool.reserved / pool.most_used - 1


def main() -> None:
    draw = random.Random(7)
    most = 2048
    kinds = {
        "one length": [most] * 5,
        "most at the greatest": [min(most, max(64, int(draw.gauss(1.5 * most, most)))) for _ in range(400)],
        "spread evenly": [draw.randint(64, most) for _ in range(400)],
    }
    for name, shape in SHAPES.items():
        for kind, lengths in kinds.items():
            print(f"{name}; {kind}: {beyond(shape, lengths):.0%} beyond what is allocated")


if __name__ == "__main__":
    main()
