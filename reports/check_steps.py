# SPDX-License-Identifier: Apache-2.0
"""What check_evidence.py, which imports this if it stands beside it, knows of modules: programs of several steps, which may be run as
one (D23).  As there: plain Python, nothing of Assay's.
Each element of each value has a set that holds all that a kernel may have of it (T174): of a step what it makes of its operands'
sets, rounded or not (T175); only what is returned is stored in its type.  Steps whose rules do not hold for sets are not decided."""
import re
from fractions import Fraction as Q
from check_evidence import OPS, NotDecided, Tensor, combined, dot_pairs, folded, is_point, multiply, numbers, parts_of, rounded
from check_formulas import element

class Value(Tensor):
    """What a step makes, element by element as it is asked for."""
    def __init__(self, word, find, source=None):
        super().__init__(word)
        if self.parts == 2 or self.quantum or self.format and self.format.has_one_zero: raise NotDecided("steps that make complex, quantized or FNUZ numbers")
        self.find, self.source, self.known = find, source, {}
    def at(self, index, p, part=0):
        if index not in self.known: self.known[index] = self.find(index)
        return self.known[index]
    def integer(self, index, code=None):
        if code is not None: return super().integer(index, code)
        (low, high), *more = self.at(index, None)
        if more or low != high: raise NotDecided("integers that are not certain")
        return int(low)

def origin(t, index):
    """What is there: which element of which tensor moves have put there, or which set a step has made."""
    while isinstance(t, Value) and t.source: t, index = t.source(index)
    return id(t.at(index, None)) if isinstance(t, Value) else (id(t), index)

# ---- Steps that move elements: a copy of one (T261) -----------------------------------------------------------------------
def numbers_of(text): return [int(n) for n in text.strip("[]").split(",") if n]

def source_of(name, a, o, r, index):
    """Which element of which operand stands there."""
    place, x = r.place(index), o[0]
    if name == "reshape": return x, index
    if name == "transpose": return x, x.index([k for _, k in sorted(zip(numbers_of(a["permutation"]), place))])
    if name == "broadcast_in_dim": return x, x.index([place[d] if n > 1 else 0 for d, n in zip(numbers_of(a["broadcast_dimensions"]), x.shape)])
    if name == "reverse": return x, x.index([n - 1 - k if d in numbers_of(a["dimensions"]) else k for d, (k, n) in enumerate(zip(place, x.shape))])
    if name == "slice": return x, x.index([s + k * step for k, s, step in zip(place, numbers_of(a["start_indices"]), numbers_of(a["strides"]))])
    axis = int(a["dimension"])
    for x in o:
        if place[axis] < x.shape[axis]: return x, x.index(place)
        place[axis] -= x.shape[axis]

def move(op, a, o, r, number, index, part, p, note):
    x, i = source_of(op.partition(".")[2], a, o, r, index)
    return element(x, i, p, part)

MOVES = [f"stablehlo.{name}" for name in ("reshape", "transpose", "broadcast_in_dim", "reverse", "slice", "concatenate")]
# Rules that hold for operands that are sets; the rest asks for numbers.
OF_SETS = {*MOVES, "stablehlo.pad", "stablehlo.dot_general", "stablehlo.convolution", "stablehlo.divide", "stablehlo.reduce", "stablehlo.convert",
           *(f"stablehlo.{name}" for name in ("add", "subtract", "multiply", "negate", "maximum", "minimum"))}

# ---- Modules --------------------------------------------------------------------------------------------------------------
def parsed(text):
    """Definitions in order, name: (op, operands' names, attributes, words of types), and the names that are returned."""
    if "{" in text: raise NotDecided("steps with bodies of their own")
    *lines, last = text.split(";")
    steps = {}
    for line in lines:
        name, op, inside, rest = re.fullmatch(r"(\w+)=([\w.]+)\((.*?)\)((?: .*)?)", line).groups()
        if op == "constant": steps[name] = (op, *inside.rpartition(",")[::2]); continue
        words, result = rest.strip().rsplit(" -> ", 1) if not rest.startswith(" -> ") else ("", rest[4:])
        if " " in result or "," in name: raise NotDecided("steps with several results")
        attributes = dict(w.split("=", 1) for w in words.split(" ") if "=" in w)
        steps[name] = op, inside.split(","), attributes, [w for w in words.split(" ") if w and "=" not in w], result
    return steps, re.fullmatch(r"return\((.*)\)", last)[1].split(",")

def with_merged_scales(s, r, p):
    """A number that was dequantized, by a kernel that merges scales: eight factors more (D23, T177), and either zero."""
    u, result = r.format.u, [v for part in s for v in (["+0", "-0"] if part in ("+0", "-0") else [part])]
    return combined(multiply, result, [((1 - u) ** 8, (1 + u) ** 8)])

def narrowed(x, index, r):
    """Integers as those of another type: any, unless all are numbers of it."""
    low, high = x.at(index, None)[0] if isinstance(x, Value) else (x.integer(index),) * 2
    return [(low, high) if r.low <= low <= high <= r.high else (r.low, r.high)]

def widened(s, f):
    """Numbers that are kept, or made of such: between the neighbours of what is stored (T175), and a little more, also where nothing
    rounds."""
    def more(x): return 4 * f.u * abs(x) + 2 * f.eta
    pairs = [(Q(0), Q(0)) if isinstance(part, str) else part for part in s]
    return list(dict.fromkeys(v for low, high in pairs for v in parts_of(low - more(low), high + more(high), ("+0", "-0"))))

def step_rule(op, o):
    """The rule for a step's operands."""
    rule = OPS.get("quantized " * any(t.quantum for t in o) + op)
    has_sets = any(isinstance(t, Value) for t in o)
    if not rule or has_sets and op not in OF_SETS or any(t.quantum for t in o) and op != "stablehlo.uniform_dequantize":
        raise NotDecided(f"no rules for {op} as a step")
    return rule

def make_step(step, tensors, is_returned, p):
    """What a step makes."""
    op, names, a, words, result = step
    o, r = [tensors[name].seen_as(word) for name, word in zip(names, words)], Tensor(result)
    if len(o) != len(words): raise NotDecided("other operands than the step's types say")
    if p["intermediates"] != "rounded": p = {**p, "is_kept": not is_returned}
    if op == "stablehlo.reduce" and (len(o) != 2 or a["body"] == "add" and not (o[1].at(0, p) in (["+0"], ["-0"]) if r.format else not o[1].integer(0))):
        raise NotDecided("initial values of steps that enter often")
    if op == "stablehlo.convert" and p["convert_rounding"] != "rn": raise NotDecided("conversions of steps rounded otherwise")
    if op == "stablehlo.convert" and not (o[0].format or r.format): return Value(result, lambda index: narrowed(o[0], index, r))
    rule, known = step_rule(op, o), {}
    def find(index):
        # Sums of the same elements are the same sum, which may be that of many columns.
        key = index
        if op == "stablehlo.dot_general": key = tuple((origin(o[0], i), origin(o[1], j)) for i, j in dot_pairs(a, o, r.place(index)))
        if op == "stablehlo.reduce": key = tuple(origin(o[0], i) for i in folded(op, a, o[0], r, r.place(index)))
        if key in known: return known[key]
        s = rule(op, a, o, r, 0, index, 0, {**p, "results": 1}, lambda *_: None)
        if {"nan", "+inf", "-inf"} & set(s): raise NotDecided("steps that may overflow")
        if r.format and (p.get("is_kept") or any(isinstance(t, Value) for t in o)): s = widened(s, r.format)
        if r.format and p["ftz"] != "none" and any(min(map(abs, e)) < r.format.normal for e in numbers(s)): s = [*s, "+0", "-0"]  # Who reads it.
        known[key] = with_merged_scales(s, r, p) if op == "stablehlo.uniform_dequantize" and p["intermediates"] == "either" else s
        return known[key]
    return Value(result, find, (lambda index: source_of(op.partition(".")[2], a, o, r, index)) if op in MOVES else None)

class Named:
    """A value, as steps see it: an operand's quantization may be told otherwise there."""
    def __init__(self, tensor): self.tensor, self.seen = tensor, {}
    def seen_as(self, word):
        if isinstance(self.tensor, Value) or word == self.tensor.word: return self.tensor
        return self.seen.setdefault(word, Tensor(word, self.tensor.data))

def module(op, a, o, r, number, index, part, p, note):
    if p["algebra"] != "none": raise NotDecided("steps that are combined (algebra)")
    values = [t.format.read(code) for t in o if t.format for code in t.codes]
    if any(v in ("nan", "+inf", "-inf") for v in values): raise NotDecided("infinite operands of steps")
    steps, returned = parsed(a["steps"].strip("{}"))
    tensors = {f"a{i}": Named(t) for i, t in enumerate(o)}
    for name, step in steps.items():
        tensors[name] = Named(Tensor(*step[1:]) if step[0] == "constant" else make_step(step, tensors, name == returned[number], p))
    last = tensors[returned[number]].tensor
    if r.format is None: return last.at(index, p) if isinstance(last, Value) else [(last.integer(index),) * 2]
    s = last.at(index, p, part)
    exact = numbers(s)
    if is_point(s) and exact: note("T174, T175", *exact[0], Q(0))
    return rounded(s, r.format, {**p, "is_kept": False} if p["intermediates"] != "rounded" else p, True)

OPS.update({**dict.fromkeys(MOVES, move), **dict.fromkeys(("module", "quantized module"), module)})
