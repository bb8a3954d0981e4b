#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decides, from a bundle of `assay prove`, whether a result is one that no conforming implementation returns.

    check_evidence.py [--complete] BUNDLE...     one line each: proven, not decided or refused, and why

It needs Python 3.8 and shares no code with Assay.  From the operands it computes with exact fractions a set that holds
all that the contract permits at one place of a result, by the theorems of oracles/theory.md, and compares.  A bundle
whose numbers are not those that come out here is refused (--complete writes them).
A set is a list of parts: "nan", "+inf", "-inf", "+0", "-0", or (low, high), both above or both below zero.
Exit status: 0 all are proven; 1 one is refused; 3 one is not decided; 2 one is no bundle."""
import hashlib, itertools, json, math, re, sys
from fractions import Fraction as Q
class NotDecided(Exception): pass
# ---- Formats (D1): bits, precision, bias, and the largest number of those without infinities --------------------------
FORMATS = {"f64": (64, 53, 1023), "f32": (32, 24, 127), "tf32": (19, 11, 127), "f16": (16, 11, 15), "bf16": (16, 8, 127), "f8E5M2": (8, 3, 15),
           "f8E4M3": (8, 4, 7), "f8E3M4": (8, 5, 3), "f8E4M3FN": (8, 4, 7, Q(448)), "f6E2M3FN": (6, 4, 1, Q(15, 2)), "f6E3M2FN": (6, 3, 3, Q(28)), "f4E2M1FN": (4, 2, 1, Q(6)),
           "f8E4M3FNUZ": (8, 4, 8, Q(240)), "f8E5M2FNUZ": (8, 3, 16, Q(57344)), "f8E4M3B11FNUZ": (8, 4, 11, Q(30)), "f8E8M0FNU": (8, 1, 128, Q(2) ** 127)}
class Format:
    def __init__(self, name):
        if name not in FORMATS: raise NotDecided(f"numbers of {name}")
        self.name, (self.bits, self.p, bias, *ends) = name, FORMATS[name]
        self.emin, self.u, self.has_infinity, self.largest = 1 - bias, Q(2) ** -self.p, not ends, (*ends, (1 - Q(2) ** -self.p) * Q(2) ** (bias + 1))[0]
        self.normal, self.eta, self.has_one_zero = Q(2) ** self.emin, Q(2) ** (self.emin - self.p + 1), name.endswith("UZ")
        self.d = 3 if self.p <= 5 else 11  # D6: a wider node has so many bits more, at least, and rounds by w.
        self.w, self.eta_w = self.u / 2 ** self.d, self.eta / 2 ** self.d
    def read(self, bits):
        sign, exponent, fraction = bits >> self.bits - 1, bits >> self.p - 1 & (1 << self.bits - self.p) - 1, bits & (1 << self.p - 1) - 1
        if self.p == 1 or self.has_one_zero and bits == 128: return (Q(2) ** (bits - 127),) * 2 if self.p == 1 and bits < 255 else "nan"
        if self.has_infinity and exponent == (1 << self.bits - self.p) - 1: return "nan" if fraction else "+-"[sign] + "inf"
        if exponent == fraction == 0: return "+-"[sign] + "0"
        value = (fraction + (1 << self.p - 1 if exponent else 0)) * self.eta * Q(2) ** (max(exponent, 1) - 1)
        return "nan" if value > self.largest else (-value, -value) if sign else (value, value)
    def nearest(self, x, more=0):
        """rn(x) in a format with so many bits more: ties to even, and as if there were no largest number."""
        if x == 0: return x
        e = abs(x).numerator.bit_length() - x.denominator.bit_length()
        unit = Q(2) ** (max(e - (abs(x) < Q(2) ** e), self.emin) - self.p + 1 - more)
        return round(x / unit) * unit
def mirror(part): return part.translate(str.maketrans("+-", "-+")) if isinstance(part, str) else (-part[1], -part[0])
def numbers(s): return [part for part in s if not isinstance(part, str)]
def hull(s): return [e for part in s if part not in ("nan", "+inf", "-inf") for e in ((Q(0),) * 2 if isinstance(part, str) else part)]
def size_of(s): return max((abs(e) for e in hull(s)), default=Q(0))
def is_point(s): return len(s) == 1 and (isinstance(s[0], str) or s[0][0] == s[0][1])
def combined(function, a, b): return list(dict.fromkeys(function(x, y) for x in a for y in b))

def parts_of(low, high, zeros=("+0",)):
    if low > 0 or high < 0: return [(low, high)]  # Else 0 lies in the interval, as one of `zeros`.
    return [(low, Q(0))] * (low < 0) + list(zeros) + [(Q(0), high)] * (high > 0)

def rounded(s, f, p, last=False, wider=True):
    """What a rounding to f makes of a set, by a wider node too (T1 to T5, T18, T60); only the last one must round, and none that is kept (T175)."""
    result, last, wider = [], last and not p.get("is_kept"), wider or "is_kept" in p
    if not f.has_infinity and ({"nan", "+inf", "-inf"} & set(s) or size_of(s) > f.largest): raise NotDecided(f"what {f.name} has not")
    for part in s:
        if isinstance(part, str): result.append(part); continue
        if part[1] <= 0: result += [mirror(x) for x in rounded([mirror(part)], f, p, last, wider)]; continue
        low, high = part
        if wider and not (low == high == f.nearest(low, f.d)):
            low, high = max(low - f.w * low - f.eta_w / 2, Q(0)), high + f.w * high + f.eta_w / 2
        ends = f.nearest(low), f.nearest(high)
        result += ["+0"] * (ends[0] == 0) + ["+inf"] * (ends[1] > f.largest) + ["+0", "-0"] * (p["ftz"] != "none" and ends[0] < f.normal)
        low, high = (ends[0], min(ends[1], f.largest)) if last else (min(low, ends[0]), max(high, ends[1]))
        if low <= high and high > 0: result.append((low, high))
    return list(dict.fromkeys(result + ["+0"] * (f.has_one_zero and "-0" in result)))

def multiply(a, b):
    if "nan" in (a, b): return "nan"
    if isinstance(a, str) and isinstance(b, str): return "nan" if a[1:] != b[1:] else "+-"[a[0] != b[0]] + a[1:]
    if isinstance(a, str): return a if b[1] > 0 else mirror(a)
    return multiply(b, a) if isinstance(b, str) else (min(x * y for x in a for y in b), max(x * y for x in a for y in b))
def add_up(leaves, f, p, note):
    """All sums of the leaves, in any order, before the last rounding: T12, T15 to T20, T23, T115."""
    if p["accum_rounding"] != "rn": raise NotDecided("sums that may be truncated (accum_rounding)")
    may = {part for leaf in leaves for part in leaf if part in ("nan", "+inf", "-inf")}
    must = {leaf[0] for leaf in leaves if len(leaf) == 1 and leaf[0] in ("nan", "+inf", "-inf")}
    size, nonzero = sum((size_of(x) for x in leaves), Q(0)), [leaf for leaf in leaves if numbers(leaf)]
    if "nan" in must or len(must) == 2: return ["nan"]
    may |= {"nan"} if len(may) == 2 or (may and size >= f.largest / 2) else set()
    if must: return list(may)
    if not nonzero: return list(may) + ["+0"] * any("+0" in x for x in leaves) + ["-0"] * all("-0" in x for x in leaves)
    low, high = sum(min(hull(x), default=0) for x in leaves), sum(max(hull(x), default=0) for x in leaves)
    odd = [x for x in nonzero if not is_point(x) or f.nearest(x[0][0]) != x[0][0]]  # Perhaps no numbers of f: may round.
    points = all(map(is_point, nonzero))
    unit = min(Q(x[0][0].numerator & -x[0][0].numerator, x[0][0].denominator) for x in nonzero) if points else Q(0)
    steps = len(nonzero if p["ftz"] == "none" else leaves) - 1 + bool(odd)
    t, lost, theorem = (steps - 1) * f.u + steps * f.w, len(odd) * (f.eta + f.eta_w) / 2, "T12, T15"
    if points and unit >= f.eta and size <= unit * 2 ** f.p: t, lost, theorem = Q(0), Q(0), "T17"  # No node rounds.
    elif p["ftz"] == "none" and len(nonzero) + bool(odd) < 3: t, lost, theorem = Q(0), Q(0), "T18"  # The last one alone.
    if p["ftz"] != "none": lost, theorem = lost + 2 * len(leaves) * f.normal, theorem + ", T16"
    if t >= Q(1, 2): raise NotDecided("too many terms for the bound of T12")
    bound = t / (1 - t) * size + (1 + 2 * t / (1 - t)) * lost  # (1 + u)^m (1 + w)^n - 1 <= exp(t) - 1 <= t / (1 - t)
    note(theorem, low, high, bound)
    for sign, inf in ((1, "+inf"), (-1, "-inf")):  # T19, T20
        reach = sum(max([Q(0)] + [sign * e for e in hull(x)]) for x in leaves) + bound
        may |= {inf} if len(nonzero) > 1 and f.nearest(reach) > f.largest else set()
    return list(may) + ["nan"] * ({"+inf", "-inf"} <= may) + parts_of(low - bound, high + bound, ("+0", "-0") if lost else ("+0",))  # T23

def extreme(sets, is_maximum, p):
    """maximum and minimum of IEEE 754-2019: NaN if one is, and -0 < +0; of intervals one between the extremes of their ends."""
    if not all(map(is_point, sets)):
        if {"nan", "+inf", "-inf"} & {v for s in sets for v in s}: raise NotDecided("the larger of two that are not certain")
        return parts_of(*((max if is_maximum else min)(end(hull(s)) for s in sets) for end in (min, max)), ("+0", "-0"))
    rank = {"-inf": (-1, 0), "-0": (0, 0), "+0": (0, 0, 1), "+inf": (1, 0)}
    return ["nan"] if ["nan"] in sets else (max if is_maximum else min)(sets, key=lambda s: rank.get(s[0]) or (0, s[0][0]))

# ---- The case: harness/model/case_line.md -------------------------------------------------------------------------------
class Tensor:
    def __init__(self, word, data="-"):
        element, sizes = re.fullmatch(r"(.*)\[([\d,?]*)\]", word).groups()
        self.word, self.data, self.shape = word, data, [int(size.lstrip("?")) for size in sizes.split(",") if size]
        self.quantum = re.fullmatch(r"!quant\.uniform<(u?i\d+)(?:<(-?\d+):(-?\d+)>)?:(\w+)(?::(\d+))?,\{?([^}>]*)\}?>", element)
        element, self.parts = self.quantum[1] if self.quantum else element, 1 + element.startswith("complex")
        integer = re.fullmatch(r"(u?)i(\d+)", element)
        self.format = None if integer else Format(re.sub(r"complex<(.*)>", r"\1", element))
        self.bits = int(integer[2]) if integer else self.format.bits
        self.is_signed = not integer or not (integer[1] or self.bits == 1)
        self.low, self.high = (-2 ** (self.bits - 1), 2 ** (self.bits - 1) - 1) if self.is_signed else (0, 2 ** self.bits - 1)
        if self.quantum:
            if self.quantum[2]: self.low, self.high = map(int, self.quantum.group(2, 3))
            self.expressed, words = Format(self.quantum[4]), [word.partition(":") for word in self.quantum[6].split(",")]
            self.scales = [(Q(float.fromhex(scale)), int(zero or 0)) for scale, _, zero in words]
        step = -(-self.bits // 4)
        self.codes = [int(data[i:i + step], 16) for i in range(0, len(data), step)] if data != "-" else []
    def place(self, index): return [index // math.prod(self.shape[d + 1:]) % size for d, size in enumerate(self.shape)]
    def index(self, place): return sum(k * math.prod(self.shape[d + 1:]) for d, k in enumerate(place))
    def scale(self, index): return self.scales[self.place(index)[int(self.quantum[5])] if self.quantum[5] else 0]
    def integer(self, index, code=None):
        code = self.codes[index] if code is None else code
        return code - 2 ** self.bits if self.is_signed and code >> self.bits - 1 else code
    def at(self, index, p, part=0):
        """What an implementation may read there: a set, of quantized numbers too (D9, T163)."""
        if self.quantum:
            scale, zero = self.scale(index)
            if p["dequantize"] != "subtract": raise NotDecided("another way to dequantize")
            difference = rounded(parts_of(*(Q(self.integer(index) - zero),) * 2), self.expressed, p)
            return rounded(combined(multiply, difference, [(scale, scale)]), self.expressed, p)
        value = self.format.read(self.codes[index * self.parts + part])
        return [value, "+0", "-0"] if p["ftz"] != "none" and not isinstance(value, str) and abs(value[0]) < self.format.normal else [value]
def lists(text): return json.loads(re.sub(r"\b([a-z])\b", r'"\1"', "[" + text.replace("]x[", "],[").replace("]->[", "],[") + "]"))

def dot_pairs(a, o, place):
    batch, contract = lists(a["batch"]), lists(a["contract"])
    for steps in itertools.product(*(range(o[0].shape[d]) for d in contract[0])):
        rest, indices = iter(place[len(batch[0]):]), []
        for t, bound in zip(o, zip(batch, contract)):
            known = {**dict(zip(bound[0], place)), **dict(zip(bound[1], steps))}
            indices.append(t.index([known[d] if d in known else next(rest) for d in range(len(t.shape))]))
        yield indices

def convolution_pairs(a, o, place):
    names, groups, batches = lists(a["dimension_numbers"]), int(a["feature_group_count"]), int(a["batch_group_count"])
    stride, pads, dilate, dilate_rhs, reverse = (json.loads(a[k]) for k in
                                                 ("window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"))
    at, (left, right) = dict(zip(names[2], place)), [dict(zip(n, t.shape)) for n, t in zip(names, o)]
    group, batch = at["f"] * groups // right["o"], at["f"] * batches // right["o"]
    for i, *k in itertools.product(range(right["i"]), *(range(right[d]) for d in range(len(stride)))):
        where = [at[d] * stride[d] - pads[d][0] + k[d] * dilate_rhs[d] for d in range(len(k))]
        inside = all(0 <= w <= (left[d] - 1) * dilate[d] and w % dilate[d] == 0 for d, w in enumerate(where))
        lhs = {"b": at["b"] + batch * (left["b"] // batches), "f": i + group * right["i"], **{d: w // dilate[d] for d, w in enumerate(where)}}
        rhs = {"i": i, "o": at["f"], **{d: right[d] - 1 - k[d] if reverse[d] else k[d] for d in range(len(k))}}
        yield o[0].index([lhs[n] for n in names[0]]) if inside else None, o[1].index([rhs[n] for n in names[1]])

def pairs_of(op, a, o, r, index, p):
    """The factors of the sum: elements of both operands; None is padding, or a hole, which is 0."""
    if "accumulation" in a or (op.endswith("convolution") and o[0].bits != r.bits and not r.quantum):
        raise NotDecided("types of sums (accumulation, convolution_types)")
    pairs = list((dot_pairs if op.endswith("dot_general") else convolution_pairs)(a, o, r.place(index)))
    if any(i is None for i, _ in pairs) and p["convolution_padding"] != "products": raise NotDecided("padding (convolution_padding)")
    return pairs

def folded(op, a, x, r, place):
    """The elements of x that are reduced there; None is padding, or a hole."""
    if op == "stablehlo.reduce":
        kept, dims = iter(place), json.loads(a["dims"])
        return [x.index(at) for at in itertools.product(*[range(n) if d in dims else [next(kept)] for d, n in enumerate(x.shape)])]
    if op == "stablehlo.reduce_window":
        size, stride, base, dilation, pads = (json.loads(a[k]) for k in
                                              ("window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"))
        windows = ([at * stride[d] + k[d] * dilation[d] - pads[d][0] for d, at in enumerate(place)] for k in itertools.product(*map(range, size)))
        return [x.index([q // b for q, b in zip(at, base)]) if all(0 <= q <= (n - 1) * b and q % b == 0 for q, b, n in zip(at, base, x.shape))
                else None for at in windows]
    if {"channel_id", "num_partitions"} & set(a): raise NotDecided("processes that are not replicas")
    group, axis = next(g for g in json.loads(a["replica_groups"]) if place[0] in g), int(a.get("scatter_dimension", -1)) + 1
    return [x.index([m, *(k + (group.index(place[0]) * r.shape[axis] if d == axis else 0) for d, k in enumerate(place[1:], 1))]) for m in group]

# ---- What is permitted at one place: a set, or pairs (low, high) of integers ---------------------------------------------
def whole(total, size, r, p):
    """An integer in the type of the result: sums and products wrap, or saturate (T40, T41, T133)."""
    if size > r.high and p["integer_overflow"] != "wrap": raise NotDecided("integers that may saturate (integer_overflow)")
    return [(r.integer(0, total % 2 ** r.bits),) * 2]

def products(op, a, o, r, number, index, part, p, note):
    """dot_general and convolution: D7, T11, T34, T130."""
    pairs, algorithm = pairs_of(op, a, o, r, index, p), a.get("algorithm", "").strip("[]").split(",")
    has_algorithm = len(algorithm) > 1
    if r.format is None and not has_algorithm:
        terms = [o[0].integer(i) * o[1].integer(j) for i, j in pairs if i is not None]
        return whole(sum(terms), sum(map(abs, terms)), r, p)
    if any(t.format is None for t in (*o, r)) or has_algorithm and (algorithm[5:] != ["1", "false"] or "tf32" in algorithm):
        raise NotDecided("an algorithm of this kind")
    if any(p[f"{word}_precision"] != "f32" for word in ("default", "high", "highest")) or p["operand_rounding"] not in ("rn", "tf32"):
        raise NotDecided("operands rounded otherwise (default_precision, operand_rounding)")
    f = Format(algorithm[2]) if has_algorithm else r.format
    def read(t, i, k, kind):  # A factor, rounded to the type that the algorithm names.
        s = ["+0"] if i is None else t.at(i, p, k)
        return rounded(s, Format(kind), p, True, False) if has_algorithm else s
    ways = [(0, 0, 1)] if r.parts == 1 else [(0, 1, 1), (1, 0, 1)] if part else [(0, 0, 1), (1, 1, -1)]
    left, right = algorithm[:2] if has_algorithm else ("", "")
    leaves = [[v if sign > 0 else mirror(v) for v in combined(multiply, read(o[0], i, k, left), read(o[1], j, m, right))]
              for i, j in pairs for k, m, sign in ways]
    total = add_up(leaves + [["+0"]], f, p, note) + add_up(leaves, f, p, note)  # A sum may start from +0.
    return rounded(rounded(total, f, p, True) if f.name != r.format.name else total, r.format, p, True)

def reduction(op, a, o, r, number, index, part, p, note):
    body, x, start = a["body"], o[number], [o[len(o) // 2 + number]] if op in ("stablehlo.reduce", "stablehlo.reduce_window") else []
    if body not in ("add", "maximum", "minimum", "multiply") or "accumulation" in a or x.bits > r.bits or r.parts == 2 and body != "add":
        raise NotDecided("this body of a reduction, or its types")
    indices = folded(op, a, x, r, r.place(index))
    if None in indices and p["window_padding"] != "elements": raise NotDecided("padding that may be left out (window_padding)")
    def read(t, i): return t.at(i, p, part) if r.format else [t.integer(i)]
    start, leaves = [read(t, 0) for t in start], [read(*((start[0], 0) if i is None else (x, i))) for i in indices]
    if body in ("maximum", "minimum"):
        best = (lambda s: extreme(s, body == "maximum", p)) if r.format else lambda s: [((max if body == "maximum" else min)(s)[0],) * 2]
        return best(leaves or start) + best(leaves + start)
    if not r.format:
        if start not in ([], [[body == "multiply"]]): raise NotDecided("initial values that change integers")
        return whole(*((sum if body == "add" else math.prod)(f(v) for v, in leaves) for f in (int, abs)), r, p)
    if body == "multiply" or not leaves: raise NotDecided("products of floats, or sums of nothing")
    counts = 50 if start and numbers(start[0]) else len(start) + 1
    sets = [rounded(add_up(leaves + start * k, r.format, p, note), r.format, p, True) for k in range(counts)]
    if counts == 50:  # T22: more initial values above zero lower no end.
        sign, ends = (1 if start[0][0][1] > 0 else -1), hull(sets[-1])
        small = 2 ** 17 * sum(map(size_of, leaves + start)) < r.format.largest and not {"nan", "+inf", "-inf"} & set(sets[-1])
        if not small or any(min(sign * e for e in ends) <= sign * e for e in hull([p["got"]])):
            raise NotDecided("initial values that may enter often")
    return [v for s in sets for v in s]

OPS = {**dict.fromkeys(("stablehlo.dot_general", "stablehlo.convolution"), products),
       **dict.fromkeys([f"stablehlo.{name}" for name in ("reduce", "reduce_window", "all_reduce", "reduce_scatter")], reduction)}

# ---- Bundles ------------------------------------------------------------------------------------------------------------
def decide(bundle):
    """The witness of the claim: theorems, numbers and the set; or why it is not decided.  ValueError: it is no claim."""
    claim, (program, *data) = bundle["claim"], bundle["case"].split(" : ")
    steps, program = re.findall(r" (steps=\{.*\})", program), re.sub(r" steps=\{.*\}", "", program)
    words, results = (side.split(" ") for side in program.rsplit(" -> ", 1))
    op, a, witness = words[0], dict(word.split("=", 1) for word in words[1:] + steps if "=" in word), {}
    def note(theorem, low, high, bound):
        if not witness: witness.update(theorems=theorem, exact=[str(low), str(high)], bound=str(bound))
    try:
        o, r = [Tensor(word, d) for word, d in zip([w for w in words[1:] if "=" not in w], data)], Tensor(results[claim["result"]])
        (index, part), bits = divmod(claim["component"], r.parts), int(claim["got"], 16)
        given = bundle["results"] and Tensor(results[claim["result"]], bundle["results"].split(" : ")[claim["result"]]).codes
        if not 0 <= index < math.prod(r.shape) or given and given[claim["component"]] != bits: raise ValueError("not the result of the claim")
        if any(len(t.codes) != t.parts * math.prod(t.shape) for t in o): raise ValueError("other data than the types say")
        got = (r.integer(0, bits),) * 2 if r.format is None else r.format.read(bits)
        p = {**dict(word.split("=") for word in bundle["contract"].split(",")), "got": got, "results": len(results)}
        rules = OPS.get("quantized " * any(t.quantum for t in [*o, r]) + "bare " * any(t.format and t.format.p == 1 for t in [*o, r]) + op)
        if not rules: raise NotDecided(f"no rules for {op} of these types here")
        sets = rules(op, a, o, r, claim["result"], index, part, p, note)
        if (p["zero_sign"] == "any" or r.format and r.format.has_one_zero) and {"+0", "-0"} & set(sets): sets += ["+0", "-0"]
    except (NotDecided, ArithmeticError) as reason: return {"not decided": str(reason)}
    if got in sets or not isinstance(got, str) and any(low <= got[0] <= high for low, high in numbers(sets)):
        return {"not decided": "the bound that is simple enough for this script holds the result"}
    return {**witness, "set": [s if isinstance(s, str) else [str(e) for e in s] for s in sets]}

def is_held(text, sets, part=0):
    """Whether the ends of Assay's own set, in words such as "0x1.8p+3 .. 0x1.9p+3", lie in this one: else one of both is wrong."""
    if text.startswith("the part of "): text = text.split(", ")[part % 2]
    ends = [Q(float.fromhex(word)) for word in re.findall(r"-?0x[0-9a-f.]+p[+-]\d+", text)]
    def lies(e): return any(Q(s[0]) <= e <= Q(s[1]) for s in numbers(sets))
    return all(e == 0 or lies(e) for e in ends) or any(lies(int(n)) for n in re.findall(r" of index (\d+)", text))  # The claim is of the index.
def digest(bundle): return hashlib.sha256(json.dumps({**bundle, "digest": ""}, sort_keys=True).encode()).hexdigest()
def check(path, completes):
    with open(path) as file: bundle = json.load(file)
    witness = decide(bundle)
    if completes:
        bundle["digest"] = digest(bundle := {**bundle, "witness": witness})
        with open(path, "w") as file: file.write(json.dumps(bundle, indent=1) + "\n")
    if bundle["digest"] != digest(bundle): return 1, "refused: the bundle is not as it was written"
    if bundle["witness"] != witness: return 1, f"refused: the bundle's numbers are not those of its operands: {witness}"
    if "not decided" in witness: return 3, "not decided: " + witness["not decided"]
    if not is_held(bundle["claim"]["permitted"], witness["set"], bundle["claim"]["component"]): return 1, f"refused: Assay permits more than {witness['set']}"
    return 0, f"proven: {bundle['claim']['got']} is none of {' '.join(s if isinstance(s, str) else '..'.join(s) for s in witness['set'])}"
def main(paths):
    codes = set() if paths else {2}
    for path in (path for path in paths if path != "--complete"):
        try: code, text = check(path, "--complete" in paths)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            code, text = (1, f"refused: {error}") if type(error) is ValueError else (2, f"no bundle: {type(error).__name__}: {error}")
        print(f"{path}: {text}")
        codes |= {code}
    return next(code for code in (2, 1, 3, 0) if code in codes)

if __name__ == "__main__":
    sys.modules["check_evidence"] = sys.modules["__main__"]
    try: import check_other_ops, check_formulas, check_norms, check_algorithms, check_images, check_bodies, check_steps  # Beside this file:
    except ImportError: pass  # what is no plain sum.  Without them that is not decided.
    sys.exit(main(sys.argv[1:]))
