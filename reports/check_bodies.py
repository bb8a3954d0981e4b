# SPDX-License-Identifier: Apache-2.0
"""What check_evidence.py, which imports this if it stands beside it, knows of reductions whose body is written out: those of few
elements whose steps neither round nor overflow.  As there: plain Python, nothing of Assay's.
All that any tree over the elements and any number of initial values gives is found by trying (T120, T291): of every part of the
elements the values of all trees over it, until there are no new ones."""
import re
from fractions import Fraction as Q
from check_evidence import OPS, NotDecided, extreme, folded, multiply, reduction
from check_formulas import COMPARISONS, signed_zero

ELEMENTS_MAX, VALUES_MAX = 5, 64

def number(x): return Q(0) if x in ("+0", "-0") else x[0]

def key(x): return x if isinstance(x, int) else {"+inf": (1, 0), "-inf": (-1, 0)}.get(x) or (0, number(x))

def exact(x, t):
    """A sum or product that the type holds, which is then what everybody computes."""
    if x == 0 or t.format.nearest(x) != x or abs(x) > t.format.largest: raise NotDecided("bodies that round")
    return x, x

def of_integers(name, x, y, t, p):
    value = {"add": x + y, "subtract": x - y, "multiply": x * y, "maximum": max(x, y), "minimum": min(x, y), "and": x & y, "or": x | y, "xor": x ^ y}[name]
    if not t.low <= value <= t.high and p["integer_overflow"] != "wrap": raise NotDecided("integers that may saturate (integer_overflow)")
    return t.integer(0, value % 2 ** t.bits)

def of_floats(name, x, y, t, p):
    if name in ("maximum", "minimum"): return extreme([[x], [y]], name == "maximum", p)[0]
    if {x, y} & {"nan", "+inf", "-inf"}: raise NotDecided("infinities, or NaN, that are added or multiplied")
    if name == "multiply":
        product = multiply(x, y) if not isinstance(x, str) and not isinstance(y, str) else None
        return exact(product[0], t) if product else signed_zero(Q(0), (-1 if x == "-0" or number(x) < 0 else 1) * (-1 if y == "-0" or number(y) < 0 else 1))
    if name == "subtract": y = {"+0": "-0", "-0": "+0"}.get(y) or (-y[1], -y[0])
    total = number(x) + number(y)
    return exact(total, t) if total else "-0" if (x, y) == ("-0", "-0") else "+0"

def step(name, inputs, types, p):
    """What a step gives, and its type; None is that of a truth value."""
    (x, *rest), (t, *_) = inputs, types
    if name.startswith("compare_"):
        way = name.partition("_")[2]
        return int(way == "NE" if "nan" in (x, rest[0]) else COMPARISONS[way](key(x), key(rest[0]))), None
    if name == "select": return (rest[0] if x else rest[1]), types[1]
    if t is None and name in ("and", "or", "xor"): return {"and": x & rest[0], "or": x | rest[0], "xor": x ^ rest[0]}[name], None
    if t is None and name == "not": return 1 - x, None
    if t is None or name not in ("add", "subtract", "multiply", "maximum", "minimum") + ("and", "or", "xor") * (t.format is None):
        raise NotDecided(f"bodies with {name}")
    return (of_floats if t.format else of_integers)(name, x, rest[0], t, p), t

def body_of(text, types, p):
    """A function of two tuples."""
    *lines, last = text.strip("{}").split(";")
    steps = [re.fullmatch(r"(\w+)=(\w+)\(([\w,]*)\)", line) for line in lines]
    returned = re.fullmatch(r"return\(([\w,]*)\)", last)
    if not returned or not all(steps): raise NotDecided("a body of this kind")
    def run(left, right):
        values = {f"{side}{i}": (v, t) for side, tuple_ in (("a", left), ("b", right)) for i, (v, t) in enumerate(zip(tuple_, types))}
        for line in steps: values[line[1]] = step(line[2], *zip(*(values[name] for name in line[3].split(","))), p)
        return tuple(values[name][0] for name in returned[1].split(","))
    return run

def closed(found, more, run):
    """With what joining any of `more`, on either side, adds."""
    todo = list(found)
    while todo:
        x = todo.pop()
        new = {run(*pair) for y in list(more or found) for pair in ((x, y), (y, x))} - found
        found |= new
        todo += new
        if len(found) > VALUES_MAX: raise NotDecided("a body that gives more and more values")
    return found

def written(op, a, o, r, number_, index, part, p, note):
    if not a["body"].startswith("{"): return reduction(op, a, o, r, number_, index, part, p, note)
    count = len(o) // 2
    if any(t.quantum or t.parts == 2 or (t.format or t).bits < 8 for t in o) or "accumulation" in a or p["ftz"] != "none" or o[number_].word.partition("[")[0] != r.word.partition("[")[0]:
        raise NotDecided("bodies of such types")
    def read(t, i): return t.integer(i) if t.format is None else t.at(i, p)[0]
    leaves = [tuple(read(t, i) for t in o[:count]) for i in folded(op, a, o[0], r, r.place(index))]
    start, run = tuple(read(t, 0) for t in o[count:]), body_of(a["body"], o[:count], p)
    if len(leaves) > ELEMENTS_MAX: raise NotDecided("bodies over many elements")
    initial, sets = closed({start}, None, run), {}
    for mask in range(1, 1 << len(leaves)):
        splits = ((s, mask ^ s) for s in range(1, mask) if s & mask == s)
        sets[mask] = {run(x, y) for s, t in splits for x in sets[s] for y in sets[t]} or {leaves[mask.bit_length() - 1]}
        sets[mask] = closed(sets[mask], initial, run)
    last = sets.get((1 << len(leaves)) - 1, initial)
    return list(dict.fromkeys((x[number_],) * 2 if r.format is None else x[number_] for x in last))

OPS["stablehlo.reduce"] = written
