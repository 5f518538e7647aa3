"""Makes every decision of a record again, in a process that has nothing but the record: `python replaying.py RECORD`. A line an entry."""

import sys

from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import bundle, rulebook
from gpurules.engine.public import VERSION
from gpurules.engine.records import record, replay

store = record.opened(sys.argv[1])
engines: dict[str, Engine] = {}
for entry in record.entries(store):
    digest = entry.head["rulebook"]["digest"]
    if digest not in engines:
        engines[digest] = Engine(rulebook.load(bundle.files(record.rulebook(store, digest))))
    found = replay.of_record(entry.asked, engines[digest], VERSION, entry.decision)
    alone = replay.of_document(entry.document, engines[digest], VERSION)
    print(entry.asked.file, found.outcome, alone.outcome, *(d.name for d in (*found.differences, *alone.differences)))
