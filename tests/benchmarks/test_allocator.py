"""The allocator that claim S218 was followed with: what is in use is counted, and samples of many lengths strand blocks."""

from __future__ import annotations

import random

import allocator


def test_what_is_given_back_is_joined_and_used_again() -> None:
    pool = allocator.Pool()
    blocks = [pool.take(6 * allocator.MIB) for _ in range(3)]
    assert (pool.used, pool.reserved) == (18 * allocator.MIB, 20 * allocator.MIB)
    for block in blocks:
        pool.give(block)
    assert pool.used == 0
    pool.take(20 * allocator.MIB)
    assert pool.reserved == 20 * allocator.MIB


def test_many_lengths_strand_blocks_and_one_length_does_not() -> None:
    shape, draw = (8, 2048, 5504, 152000), random.Random(1)
    assert allocator.beyond(shape, [512] * 4) < 0.25
    assert 1 < allocator.beyond(shape, [draw.randint(64, 512) for _ in range(100)]) < 3.1
