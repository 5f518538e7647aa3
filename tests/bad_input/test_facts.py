"""Malformed facts files and options: what is said of each, where, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Fault = tuple[str, str, str, str]
"""Line and column (empty for the file as a whole), code, words of the message, words of the mend."""
Refused = Callable[[list[str], list[Fault], bool], None]

FACTS: dict[str, tuple[str | bytes, list[Fault]]] = {
    "empty": (
        "",
        [("", "GR001", "is empty", "write at least one key, e.g. workload.task: inference")],
    ),
    "nothing but a comment": (
        "# nothing\n",
        [("", "GR001", "is empty", "write at least one key, e.g. workload.task: inference")],
    ),
    "nothing but null": (
        "~\n",
        [("", "GR001", "is empty", "write at least one key, e.g. workload.task: inference")],
    ),
    "nothing but a word": (
        "hello\n",
        [("1:1", "GR302", "the facts are a list or a single value, not a group of keys", "write e.g. workload.task: inference")],
    ),
    "a list": (
        "- a\n- b\n",
        [("1:1", "GR302", "the facts are a list or a single value, not a group of keys", "write e.g. workload.task: inference")],
    ),
    "nothing but a number": (
        "42\n",
        [("1:1", "GR302", "the facts are a list or a single value, not a group of keys", "write e.g. workload.task: inference")],
    ),
    "unknown fact": (
        "workload.task: full_finetune\nmeasured.comm_share: 30 %\n",
        [("2:1", "GR301", "unknown fact 'measured.comm_share'", "did you mean 'measured.clock_share'?")],
    ),
    "unknown group": (
        "workload.task: full_finetune\ngpus:\n  count: 4\n",
        [("2:1", "GR301", "unknown group of facts 'gpus'", "did you mean 'gpu'?")],
    ),
    "group misspelt": (
        "workload.task: full_finetune\ntraning:\n  precision: bf16\n",
        [("2:1", "GR301", "unknown group of facts 'traning'", "did you mean 'training'?")],
    ),
    "group with a value": (
        "workload.task: full_finetune\ngpu: 4\n",
        [("2:1", "GR301", "'gpu' is a group of facts", "write one of its facts: gpu.air_cooled_by_vendor")],
    ),
    "fact with a group": (
        "workload.task: full_finetune\ngpu.count:\n  value: 4\n",
        [("3:3", "GR302", "gpu.count needs a value, not a group of keys", "write a number, or leave the fact out")],
    ),
    "text for a number": (
        "gpu.count: many\n",
        [("1:12", "GR303", "gpu.count 'many' is not a quantity", "write a plain number such as 4")],
    ),
    "memory for power": (
        "gpu.power_limit: 24 GB\n",
        [("1:18", "GR303", "gpu.power_limit '24 GB' is an amount of memory, where a power", "write it like '350 W'")],
    ),
    "bits for bytes": (
        "gpu.memory_nominal: 24 Gb\n",
        [("1:21", "GR303", "gpu.memory_nominal '24 Gb' is in bits (Gb), where bytes are", "write '24 GB' if bytes are meant")],
    ),
    "unit missing": (
        "gpu.memory_nominal: 24\n",
        [("1:21", "GR304", "gpu.memory_nominal '24' is outside its plausible range, 1–1,000", "did you mean '24 GB'?")],
    ),
    "furlongs": (
        "gpu.memory_nominal: 24 furlongs\n",
        [("1:21", "GR303", "gpu.memory_nominal 'furlongs' in '24 furlongs' is not a unit", "write it like '24 GB' or '24564 MiB'")],
    ),
    "per cent for a count": (
        "gpu.count: 50 %\n",
        [("1:12", "GR303", "gpu.count '50 %' is a per cent figure, where a plain number is", "write a plain number")],
    ),
    "share without per cent": (
        "measured.communication_share: 34\n",
        [("1:31", "GR304", "measured.communication_share '34' is outside its plausible", "did you mean '34 %'?")],
    ),
    "share above 100 %": (
        "measured.communication_share: 134 %\n",
        [("1:31", "GR304", "measured.communication_share '134 %' is outside its plausible", "check the figure")],
    ),
    "negative count": (
        "gpu.count: -4\n",
        [("1:12", "GR304", "gpu.count '-4' is outside its plausible range, 1–200,000", "check the figure")],
    ),
    "count of zero": (
        "gpu.count: 0\n",
        [("1:12", "GR304", "gpu.count '0' is outside its plausible range, 1–200,000", "check the figure")],
    ),
    "half a card": (
        "gpu.count: 2.5\n",
        [("1:12", "GR305", "gpu.count '2.5' is not a whole number", "write a whole number")],
    ),
    "range ending in half a card": (
        "gpu.count: 2..3.5\n",
        [("1:12", "GR305", "gpu.count '2..3.5' is not a whole number", "write a whole number")],
    ),
    "nan of YAML": (
        "gpu.count: .nan\n",
        [("1:12", "GR303", "gpu.count '.nan' is not a quantity", "write a plain number such as 4")],
    ),
    "nan as text": (
        "gpu.count: NaN\n",
        [("1:12", "GR303", "gpu.count 'NaN' is not a quantity", "write a plain number such as 4")],
    ),
    "infinity": (
        "gpu.count: .inf\n",
        [("1:12", "GR303", "gpu.count '.inf' is not a quantity", "write a plain number such as 4")],
    ),
    "minus infinity": (
        "gpu.power_limit: -.inf\n",
        [("1:18", "GR303", "gpu.power_limit '-.inf' is not a quantity", "write it like '350 W'")],
    ),
    "10^400": (
        "gpu.power_limit: 1e400\n",
        [("1:18", "GR303", "gpu.power_limit '1e400' is too large", "write a number of ordinary size")],
    ),
    "number of 401 digits": (
        "gpu.power_limit: 1" + "0" * 400,
        [("1:18", "GR303", "gpu.power_limit '100000000000000000000000000000000000000…' is", "write a number of ordinary size")],
    ),
    "the largest float": (
        "gpu.power_limit: 1e308 W\n",
        [("1:18", "GR304", "gpu.power_limit '1e308 W' is outside its plausible range", "check the figure and its unit; a bare number is in W")],
    ),
    "exponent without end": (
        "gpu.power_limit: 1e9999999\n",
        [("1:18", "GR303", "gpu.power_limit '1e9999999' is too long or too large to be a", "write a number of ordinary size")],
    ),
    "next to nothing": (
        "gpu.memory_nominal: 1e-300 GB\n",
        [("1:21", "GR304", "gpu.memory_nominal '1e-300 GB' is outside its plausible range", "check the figure and its unit; a bare number is in byte")],
    ),
    "underscore in a number": (
        "gpu.count: 1_000\n",
        [("1:12", "GR303", "gpu.count '_000' in '1_000' is not a unit", "write a plain number such as 4")],
    ),
    "digits of another script": (
        "gpu.count: ٣\n",
        [("1:12", "GR303", "gpu.count '٣' is not a quantity", "write a plain number such as 4")],
    ),
    "decimal comma": (
        "gpu.memory_nominal: 24,5 GB\n",
        [("1:21", "GR303", "gpu.memory_nominal ',5 GB' in '24,5 GB' is not a unit", "write it like '24 GB' or '24564 MiB'")],
    ),
    "range upside down": (
        "measured.communication_share: 35..25 %\n",
        [("1:31", "GR303", "measured.communication_share '35..25 %' is upside down", "write the smaller end first")],
    ),
    "range of two units": (
        "gpu.memory_nominal: 20 GB..30 W\n",
        [("1:21", "GR303", "gpu.memory_nominal '20 GB..30 W' is a power, where an amount of", "write it like '24 GB' or '24564 MiB'")],
    ),
    "range with a bound": (
        'gpu.memory_nominal: ">= 20..30 GB"\n',
        [("1:21", "GR303", "gpu.memory_nominal '>= 20..30 GB' is both one-sided and a range", "write '>= 72 GB' or '72..80 GB'")],
    ),
    "about": (
        "gpu.memory_nominal: about 24 GB\n",
        [("1:21", "GR303", "gpu.memory_nominal 'about 24 GB' is not a quantity", "write how far it may be off as a range, e.g. '22..24 GB'")],
    ),
    "list for a number": (
        "gpu.count: [2, 4]\n",
        [("1:12", "GR302", "gpu.count takes one value or a range, not a list", "write a range as 25..35 %; one scenario a file")],
    ),
    "empty list": (
        "workload.task: []\n",
        [("1:16", "GR302", "workload.task has an empty list", "name at least one member, or leave the fact out")],
    ),
    "no value": (
        "workload.task:\n",
        [("1:15", "GR302", "workload.task needs a value, not nothing", "write one of pretrain, continued_pretrain, full_finetune")],
    ),
    "list in a list": (
        "workload.task: [[lora]]\n",
        [("1:17", "GR302", "workload.task has a list or group inside a list", "write one of pretrain, continued_pretrain, full_finetune")],
    ),
    "true for a number": (
        "gpu.count: true\n",
        [("1:12", "GR303", "gpu.count 'true' is not a quantity", "write a plain number such as 4")],
    ),
    "number for a member": (
        "workload.task: 4\n",
        [("1:16", "GR306", "workload.task has no member '4'", "it may be pretrain, continued_pretrain, full_finetune")],
    ),
    "member misspelt": (
        "workload.task: finetuning_full\n",
        [("1:16", "GR306", "workload.task has no member 'finetuning_full'", "did you mean 'finetuning'?")],
    ),
    "one of two members misspelt": (
        "training.precision: bf16 or fp17\n",
        [("1:21", "GR306", "training.precision has no member 'fp17'", "did you mean 'fp16'?")],
    ),
    "neither yes nor no": (
        "gpu.air_cooled_by_vendor: maybe\n",
        [("1:27", "GR306", "gpu.air_cooled_by_vendor has no member 'maybe'", "it may be no, yes")],
    ),
    "near miss of a card": (
        "gpu.name: RTX 4095\n",
        [("1:11", "GR307", "gpu.name 'RTX 4095' matches no card of the catalogue", "did you mean 'GeForce RTX 4090', 'GeForce RTX 4090 D")],
    ),
    "no such card": (
        "gpu.name: xyzzy\n",
        [("1:11", "GR307", "gpu.name 'xyzzy' matches no card of the catalogue", "`gpurules catalog gpus` lists the names")],
    ),
    "empty card name": (
        'gpu.name: ""\n',
        [("1:11", "GR307", "gpu.name '' matches no card of the catalogue", "`gpurules catalog gpus` lists the names")],
    ),
    "choice of gpurules stated": (
        "candidate.count: 4\n",
        [("1:18", "GR309", "'candidate.count' is found by gpurules for each machine", "describe a machine with gpu.*, interconnect.*, parallel.*")],
    ),
    "result for candidates stated": (
        "candidate.fit: fits\n",
        [("1:16", "GR309", "'candidate.fit' is found by gpurules for each machine", "describe a machine with gpu.*, interconnect.*, parallel.*")],
    ),
    "several documents": (
        "workload.task: full_finetune\n---\nworkload.task: full_finetune\n",
        [("2:1", "GR004", "holds several documents", "keep one, and remove the '---' after it")],
    ),
    "tag of a scalar": (
        "workload.task: !!str lora\n",
        [("1:16", "GR004", "carries the tag 'tag:yaml.org,2002:str'", "write plain values without tags")],
    ),
    "tag that would run code": (
        'x: !!python/object/apply:os.system ["ls"]\n',
        [("1:4", "GR004", "carries the tag", "write plain values without tags")],
    ),
    "merge key": (
        "a: &a {x: 1}\n<<: *a\n",
        [
            ("1:1", "GR301", "unknown group of facts 'a'", "`gpurules facts` lists what may be stated"),
            ("2:1", "GR301", "unknown group of facts '<<'", "`gpurules facts` lists what may be stated"),
        ],
    ),
    "key twice": (
        "gpu.count: 4\ngpu.count: 8\n",
        [("2:1", "GR004", "key 'gpu.count' stands twice; first at facts.yaml:1:1", "keep one of the two")],
    ),
    "key twice in a group": (
        "gpu:\n  count: 4\n  count: 8\n",
        [("3:3", "GR004", "key 'count' stands twice; first at facts.yaml:2:3", "keep one of the two")],
    ),
    "fact twice, dotted and in a group": (
        "gpu.count: 4\ngpu:\n  count: 8\n",
        [("3:3", "GR308", "'gpu.count' is stated twice; first at facts.yaml:1:", "keep one of the two")],
    ),
    "group twice": (
        "gpu:\n  count: 4\ngpu:\n  name: L40S\n",
        [("3:1", "GR004", "key 'gpu' stands twice; first at facts.yaml:1:1", "keep one of the two")],
    ),
    "tab for indentation": (
        "gpu:\n\tcount: 4\n",
        [("2:1", "GR003", "is not YAML: found character that cannot start any token", "use spaces, not tabs, for indentation")],
    ),
    "indentation that does not match": (
        "gpu:\n  count: 4\n   name: L40S\n",
        [("3:8", "GR003", "is not YAML: mapping values are not allowed in this context", "check indentation, colons and quotes; put text with ': ' or")],
    ),
    "colon in plain text": (
        "gpu.name: RTX: 4090\n",
        [("1:14", "GR003", "is not YAML: mapping values are not allowed in this context", "check indentation, colons and quotes; put text with ': ' or")],
    ),
    "quote not closed": (
        'gpu.name: "RTX 4090\n',
        [("2:1", "GR003", "is not YAML: found unexpected end of stream while scanning a", "check indentation, colons and quotes; put text with ': ' or")],
    ),
    "bracket not closed": (
        "workload.task: [lora\n",
        [("2:1", "GR003", "is not YAML: did not find expected ',' or ']' while parsing a", "check indentation, colons and quotes; put text with ': ' or")],
    ),
    "list as a key": (
        "? [a, b]\n: 1\n",
        [("1:3", "GR004", "a key must be a single word", "write key: value")],
    ),
    "alias of nothing": (
        "gpu.count: *x\n",
        [("1:12", "GR004", "alias '*x' refers to nothing before it, or to what holds it", "write the value out")],
    ),
    "alias of what holds it": (
        "gpu: &g\n  count: *g\n",
        [("2:10", "GR004", "alias '*g' refers to nothing before it, or to what holds it", "write the value out")],
    ),
    "alias bomb": (
        "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)),
        [("5:17", "GR004", "holds more than 50,000 values, aliases counted as often as used", "split the file")],
    ),
    "brackets without end": (
        "gpu: " + "[" * 5000,
        [("1:1005", "GR003", "is not YAML: exceeded maximum nesting depth", "check indentation, colons and quotes; put text with ': ' or")],
    ),
    "thirty levels": (
        "".join(" " * i + "a:\n" for i in range(30)),
        [("25:25", "GR004", "is nested too deeply", "at most 24 levels")],
    ),
    "byte order mark": (
        "\ufeffgpu.count: x\n",
        [("1:12", "GR303", "gpu.count 'x' is not a quantity", "write a plain number such as 4")],
    ),
    "lines ending in CRLF": (
        "gpu.name: L40S\r\ngpu.count: x\r\n",
        [("2:12", "GR303", "gpu.count 'x' is not a quantity", "write a plain number such as 4")],
    ),
    "carriage returns alone": (
        "gpu.name: L40S\rgpu.count: x\r",
        [("2:12", "GR303", "gpu.count 'x' is not a quantity", "write a plain number such as 4")],
    ),
    "lone surrogate": (
        'gpu.name: "\\ud800"\n',
        [("1:14", "GR003", "is not YAML: found invalid Unicode character escape code", "check indentation, colons and quotes; put text with ': ' or")],
    ),
    "NUL character": (
        "gpu.count: 4\x00\n",
        [("1:13", "GR003", "is not YAML: holds a character that YAML does not allow", "check indentation, colons and quotes; put text with ': ' or")],
    ),
    "terminal escape in a value": (
        'gpu.count: "\\e[31mred"\n',
        [("1:12", "GR303", "gpu.count '\\x1b[31mred' is not a quantity", "write a plain number such as 4")],
    ),
    "raw terminal escape": (
        "gpu.count: \x1b[31m4\n",
        [("1:12", "GR003", "is not YAML: holds a character that YAML does not allow", "check indentation, colons and quotes; put text with ': ' or")],
    ),
    "right-to-left mark in a value": (
        'gpu.count: "\u202e4"\n',
        [("1:12", "GR303", "gpu.count '\\u202e4' is not a quantity", "write a plain number such as 4")],
    ),
    "right-to-left mark in a key": (
        '"gpu.\u202ecount": 4\n',
        [("1:1", "GR301", "unknown fact 'gpu.\\u202ecount'", "did you mean 'gpu.count'?")],
    ),
    "template in a value": (
        'workload.task: "{{ 7*7 }}"\n',
        [("1:16", "GR306", "workload.task has no member '{{ 7*7 }}'", "it may be pretrain, continued_pretrain, full_finetune")],
    ),
    "template in a key": (
        '"{{ config }}": 1\n',
        [("1:1", "GR301", "unknown fact '{{ config }}'", "`gpurules facts` lists what may be stated")],
    ),
    "template statement": (
        'workload.task: "{% raw %}"\n',
        [("1:16", "GR306", "workload.task has no member '{% raw %}'", "it may be pretrain, continued_pretrain, full_finetune")],
    ),
    "markup of a terminal library": (
        'gpu.name: "[bold red]x[/]"\n',
        [("1:11", "GR307", "gpu.name '[bold red]x[/]' matches no card of the catalogue", "`gpurules catalog gpus` lists the names")],
    ),
    "bell in a key": (
        '"a\\ab": 1\n',
        [("1:1", "GR301", "unknown fact 'a\\x07b'", "`gpurules facts` lists what may be stated")],
    ),
    "size class against the model": (
        "model.name: Llama-2-13B\nmodel.size_class: 7B\n",
        [("2:19", "GR310", "model.size_class is stated as 7B, but model.name 'Llama-2-13B", "correct one of the two, or leave model.size_class out and")],
    ),
    "exact size against the model": (
        "model.name: Llama-2-7b-hf\nmodel.parameters: 13B\n",
        [("2:19", "GR310", "model.parameters is stated as 13B, but model.name", "correct one of the two, or leave model.parameters out and")],
    ),
    "memory against the card": (
        "gpu.name: RTX 4090\ngpu.memory_nominal: 48 GB\n",
        [("2:21", "GR310", "gpu.memory_nominal is stated as 48 GB, but gpu.name 'RTX 4090", "correct one of the two, or leave gpu.memory_nominal out and")],
    ),
    "two sizes of one model": (
        "model.size_class: 7B\nmodel.parameters: 13e9\n",
        [("1:19", "GR310", "model.size_class is stated as 7B, but model.parameters (facts.yaml:2:19)", "correct one of the two")],
    ),
    "usable memory against nominal": (
        "gpu.memory_nominal: 24 GB\ngpu.memory_usable: 40 GB\n",
        [("1:21", "GR310", "gpu.memory_nominal is stated as 24 GB, but gpu.memory_usable", "correct one of the two")],
    ),
    "four faults": (
        "gpu.count: x\nmodel.size_class: 7 GB\nworkload.task: lorra\nfoo: 1\n",
        [
            ("1:12", "GR303", "gpu.count 'x' is not a quantity", "write a plain number such as 4"),
            ("2:19", "GR303", "model.size_class '7 GB' is an amount of memory, where a plain", "write it like '7B'"),
            ("3:16", "GR306", "workload.task has no member 'lorra'", "did you mean 'lora'?"),
            ("4:1", "GR301", "unknown fact 'foo'", "`gpurules facts` lists what may be stated"),
        ],
    ),
    "word of 5000 letters": (
        "workload.task: " + "x" * 5000,
        [("1:16", "GR306", "workload.task has no member", "it may be pretrain, continued_pretrain, full_finetune")],
    ),
    "key of 5000 letters": (
        "x" * 5000 + ": 1",
        [("1:5001", "GR003", "is not YAML: mapping values are not allowed in this context", "check indentation, colons and quotes; put text with ': ' or")],
    ),
    "date for a number": (
        "gpu.count: 2026-01-01\n",
        [("1:12", "GR303", "gpu.count '-01' in '2026-01-01' is not a unit", "write a plain number such as 4")],
    ),
    "time for a number": (
        "gpu.count: 12:30:45\n",
        [("1:12", "GR303", "gpu.count ':30:45' in '12:30:45' is not a unit", "write a plain number such as 4")],
    ),
    "hexadecimal number": (
        "gpu.count: 0x10\n",
        [("1:12", "GR303", "gpu.count 'x10' in '0x10' is not a unit", "write a plain number such as 4")],
    ),
    "octal number": (
        "gpu.count: 0o10\n",
        [("1:12", "GR303", "gpu.count 'o10' in '0o10' is not a unit", "write a plain number such as 4")],
    ),
    "yes for a number": (
        "gpu.count: yes\n",
        [("1:12", "GR303", "gpu.count 'yes' is not a quantity", "write a plain number such as 4")],
    ),
    "null as a key": (
        "~: 1\n",
        [("1:1", "GR301", "unknown fact '~'", "`gpurules facts` lists what may be stated")],
    ),
    "empty key": (
        '"": 1\n',
        [("1:1", "GR301", "unknown fact ''", "`gpurules facts` lists what may be stated")],
    ),
    "number as a key": (
        "1: 2\n",
        [("1:1", "GR301", "unknown fact '1'", "`gpurules facts` lists what may be stated")],
    ),
    "dot twice": (
        "gpu..count: 4\n",
        [("1:1", "GR301", "unknown fact 'gpu..count'", "did you mean 'gpu.count'?")],
    ),
    "dot at the end": (
        "gpu.: 4\n",
        [("1:1", "GR301", "unknown fact 'gpu.'", "did you mean 'gpu.tier'?")],
    ),
    "capitals": (
        "GPU.Count: 4\n",
        [("1:1", "GR301", "unknown fact 'GPU.Count'", "did you mean 'gpu.count'?")],
    ),
    "dash for the dot": (
        "gpu-count: 4\n",
        [("1:1", "GR301", "unknown fact 'gpu-count'", "did you mean 'gpu.count'?")],
    ),
    "underscore for the dot": (
        "gpu_count: 4\n",
        [("1:1", "GR301", "unknown fact 'gpu_count'", "did you mean 'gpu.count'?")],
    ),
    "Chinese key": (
        "显卡数量: 4\n",
        [("1:1", "GR301", "unknown fact '显卡数量'", "`gpurules facts` lists what may be stated")],
    ),
    "folded text": (
        "gpu.count: >\n  four\n  cards\n",
        [("1:12", "GR303", "gpu.count 'four cards\\x0a' is not a quantity", "write a plain number such as 4")],
    ),
    "two members on two lines": (
        "workload.task: |\n  lora\n  qlora\n",
        [("1:16", "GR306", "workload.task has no member 'lora\\x0aqlora'", "did you mean 'train_qlora'?")],
    ),
    "alias with another unit": (
        "gpu.count: &c 4\ngpu.power_limit: *c\n",
        [("2:18", "GR304", "gpu.power_limit '4' is outside its plausible range, ", "check the figure and its unit; a bare number is in W")],
    ),
    "binary": (
        bytes(range(256)),
        [("3:115", "GR002", "is not UTF-8 text", "save the file as UTF-8")],
    ),
    "UTF-16": (
        "gpu.count: 4\n".encode("utf-16"),
        [("1:1", "GR002", "is not UTF-8 text", "save the file as UTF-8")],
    ),
    "Latin-1": (
        b"gpu.name: caf\xe9\n",
        [("1:14", "GR002", "is not UTF-8 text", "save the file as UTF-8")],
    ),
    "surrogate in UTF-8": (
        b"gpu.name: \xed\xa0\x80\n",
        [("1:11", "GR002", "is not UTF-8 text", "save the file as UTF-8")],
    ),
    "more than a megabyte": (
        b"gpu.count: 4\n#" + b"x" * 1_000_001,
        [("", "GR001", "is larger than 1,000,000 bytes", "give the facts of one workload, or one rule, a file")],
    ),
    "compressed": (
        b"\x1f\x8b\x08\x00",
        [("1:2", "GR002", "is not UTF-8 text", "save the file as UTF-8")],
    ),
    "empty file of spaces": (
        "  \n\n",
        [("", "GR001", "is empty", "write at least one key, e.g. workload.task: inference")],
    ),
}

OPTIONS: dict[str, tuple[list[str], list[Fault]]] = {
    "set without a value": (
        ["--set", "gpu.count"],
        [("--set gpu.count", "GR311", "is not PATH=VALUE", "write e.g. --set gpu.count=4")],
    ),
    "set without a fact": (
        ["--set", "=4"],
        [("--set =4", "GR311", "is not PATH=VALUE", "write e.g. --set gpu.count=4")],
    ),
    "set to nothing": (
        ["--set", "gpu.count="],
        [("--set gpu.count", "GR303", "gpu.count '' is not a quantity", "write a plain number such as 4")],
    ),
    "set to text": (
        ["--set", "gpu.count=x"],
        [("--set gpu.count", "GR303", "gpu.count 'x' is not a quantity", "write a plain number such as 4")],
    ),
    "set of an unknown fact": (
        ["--set", "gpu.cout=4"],
        [("--set gpu.cout", "GR301", "unknown fact 'gpu.cout'", "did you mean 'gpu.count'?")],
    ),
    "set of a group": (
        ["--set", "gpu=4"],
        [("--set gpu", "GR301", "'gpu' is a group of facts", "write one of its facts: gpu.air_cooled_by_vendor")],
    ),
    "set of a group with an unknown fact": (
        ["--set", "gpu={count: 4, cout: 5}"],
        [("--set gpu:1:12", "GR301", "unknown fact 'gpu.cout'", "did you mean 'gpu.count'?")],
    ),
    "set to a list not closed": (
        ["--set", "gpu.count=[1"],
        [
            (
                "--set gpu.count:1:3",
                "GR003",
                "is not YAML: did not find expected ',' or ']' while parsing a",
                "check indentation, colons and quotes; put text with ': ' or",
            )
        ],
    ),
    "set to a group": (
        ["--set", "gpu.count={a: 1}"],
        [("--set gpu.count:1:1", "GR302", "gpu.count needs a value, not a group of keys", "write a number, or leave the fact out")],
    ),
    "set of a choice": (
        ["--set", "candidate.count=4"],
        [
            (
                "--set candidate.count",
                "GR309",
                "'candidate.count' is found by gpurules for each machine",
                "describe a machine with gpu.*, interconnect.*, parallel.*",
            )
        ],
    ),
    "set of a terminal escape": (
        ["--set", "\x1b[31m=4"],
        [("--set \\x1b[31m", "GR301", "unknown fact '\\x1b[31m'", "`gpurules facts` lists what may be stated")],
    ),
    "set to a terminal escape": (
        ["--set", "gpu.name=\x1b[31m"],
        [("--set gpu.name", "GR307", "gpu.name '\\x1b[31m' matches no card of the catalogue", "`gpurules catalog gpus` lists the names")],
    ),
    "set to a lone surrogate": (
        ["--set", "gpu.count=\udc80"],
        [("--set gpu.count", "GR303", "gpu.count '\\udc80' is not a quantity", "write a plain number such as 4")],
    ),
    "set of a share without per cent": (
        ["--set", "measured.communication_share=31"],
        [("--set measured.communication_share", "GR304", "measured.communication_share '31' is outside its plausible", "did you mean '31 %'?")],
    ),
    "set to one wrong member of two": (
        ["--set", "workload.task=lora or foo"],
        [("--set workload.task", "GR306", "workload.task has no member 'foo'", "it may be pretrain, continued_pretrain, full_finetune")],
    ),
    "set to two lines": (
        ["--set", "gpu.count=4\ngpu.name: x"],
        [("--set gpu.count", "GR303", "gpu.count 'gpu.name: x' in '4\\x0agpu.name: x' is not a unit", "write a plain number such as 4")],
    ),
    "set to a list with a wrong member": (
        ["--set", "workload.task=[lora, foo]"],
        [("--set workload.task:1:8", "GR306", "workload.task has no member 'foo'", "it may be pretrain, continued_pretrain, full_finetune")],
    ),
    "three wrong settings and a wrong day": (
        ["--set", "gpu.count", "--set", "=", "--date", "soon"],
        [
            ("--date soon", "GR311", "is not a day", "write it as 2026-11-30"),
            ("--set =", "GR311", "is not PATH=VALUE", "write e.g. --set gpu.count=4"),
            ("--set gpu.count", "GR311", "is not PATH=VALUE", "write e.g. --set gpu.count=4"),
        ],
    ),
    "two wrong settings of facts": (
        ["--set", "gpu.count=x", "--set", 'gpu.name=["x"'],
        [
            ("--set gpu.count", "GR303", "gpu.count 'x' is not a quantity", "write a plain number such as 4"),
            (
                "--set gpu.name:1:5",
                "GR003",
                "is not YAML: did not find expected ',' or ']' while parsing a",
                "check indentation, colons and quotes; put text with ': ' or",
            ),
        ],
    ),
    "day as a word": (
        ["--date", "yesterday"],
        [("--date yesterday", "GR311", "is not a day", "write it as 2026-11-30")],
    ),
    "month 13": (
        ["--date", "2026-13-01"],
        [("--date 2026-13-01", "GR311", "is not a day", "write it as 2026-11-30")],
    ),
    "30 February": (
        ["--date", "2026-02-30"],
        [("--date 2026-02-30", "GR311", "is not a day", "write it as 2026-11-30")],
    ),
    "no day": (
        ["--date", ""],
        [("--date ", "GR311", "is not a day", "write it as 2026-11-30")],
    ),
    "day in digits of another script": (
        ["--date", "٢٠٢٦-01-01"],
        [("--date ٢٠٢٦-01-01", "GR311", "is not a day", "write it as 2026-11-30")],
    ),
    "no folder of rules": (
        ["--rules", "nowhere"],
        [("nowhere", "GR001", "is no folder of rules", "name a folder that holds <ID>-<slug>.yaml files")],
    ),
    "file for a folder of rules": (
        ["--rules", "facts.yaml"],
        [("facts.yaml", "GR001", "is no folder of rules", "name a folder that holds <ID>-<slug>.yaml files")],
    ),
}

ALONE = {
    "a list", "unknown fact", "nan of YAML", "10^400", "alias bomb", "brackets without end", "byte order mark", "raw terminal escape",
    "right-to-left mark in a key", "tag that would run code", "four faults", "more than a megabyte", "binary",
}  # fmt: skip
"""Those run as a process of their own; the others call the same command inside the test's process."""


@pytest.mark.parametrize("name", FACTS)
def test_facts(name: str, tmp_path: Path, refused: Refused) -> None:
    content, faults = FACTS[name]
    (tmp_path / "facts.yaml").write_bytes(content if isinstance(content, bytes) else content.encode())
    placed = [(f"facts.yaml:{place}" if place else "facts.yaml", *rest) for place, *rest in faults]
    refused(["evaluate", "facts.yaml"], placed, name in ALONE)


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name: str, tmp_path: Path, refused: Refused) -> None:
    arguments, faults = OPTIONS[name]
    (tmp_path / "facts.yaml").write_text("workload.task: full_finetune\n")
    refused(["evaluate", "facts.yaml", *arguments], faults, False)


def test_a_folder_is_no_facts_file(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "facts.yaml").mkdir()
    refused(["evaluate", "facts.yaml"], [("facts.yaml", "GR001", "is a directory", "name a file")], True)


def test_a_file_that_is_not_there(refused: Refused) -> None:
    refused(["evaluate", "facts.yaml"], [("facts.yaml", "GR001", "there is no such file", "check the path")], True)


def test_every_kind_of_fault_is_met() -> None:
    codes = {fault[1] for _, faults in (*FACTS.values(), *OPTIONS.values()) for fault in faults}
    assert codes == {"GR001", "GR002", "GR003", "GR004", *(f"GR30{n}" for n in range(1, 10)), "GR310", "GR311"}  # contradictions have a module of their own
