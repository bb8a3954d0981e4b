# SPDX-License-Identifier: Apache-2.0
"""What check_evidence.py, which imports this if it stands beside it, knows of dot algorithms with several components, of tf32,
and of quantized operands (D7, T194).  As there: plain Python, nothing of Assay's."""
import math
from fractions import Fraction as Q
from check_evidence import OPS, Format, NotDecided, add_up, hull, is_point, mirror, multiply, pairs_of, parts_of, products, rounded, size_of
from check_other_ops import quantized, quantized_products

def rounded_to(x, f, mode):
    """A number rounded to nearest, ties to even or away, or cut."""
    if mode == "rn": return f.nearest(x)
    e = abs(x).numerator.bit_length() - x.denominator.bit_length()
    unit = Q(2) ** (max(e - (abs(x) < Q(2) ** e), f.emin) - f.p + 1)
    return math.floor(abs(x) / unit + (Q(1, 2) if mode == "rna" else 0)) * unit * (1 if x > 0 else -1)

def components(part, f, modes):
    """What a number is split into: each component is what is left, rounded as its mode says."""
    if part in ("nan", "+inf", "-inf"): raise NotDecided("components of infinities and NaN")
    if isinstance(part, str): return [part] + ["+0"] * (len(modes) - 1)
    rest, result = part[0], []
    for mode in modes:
        value = rounded_to(rest, f, mode) if rest else Q(0)
        if abs(value) > f.largest: raise NotDecided("components that overflow")
        result.append((value, value) if value else "-0" if rest < 0 else "+0")
        rest -= value
    return result

def splits(count, takes_any_way):
    """How operands may be split (dot_general/plan.h): all components to nearest, or all but the last one cut; of hardware's own
    types with ties away, or all cut, too."""
    ways = [["rn"] * count, ["rz"] * (count - 1) + ["rn"]]
    if takes_any_way: ways += [["rna"] * count, ["rz"] * count, ["rz"] * (count - 1) + ["rna"]]
    return [way for k, way in enumerate(ways) if way not in ways[:k]]

def primitives(left, right, counts, kept):
    """The products of components that are kept: of least magnitude's loss, of equal ones those of the earlier left component."""
    pairs = [(i, j) for i in range(counts[0]) for j in range(counts[1])]
    return sorted(pairs, key=lambda ij: (left.p * ij[0] + right.p * ij[1], ij[0]))[:kept]

def members(a, p):
    """Types, component counts and products of an algorithm that is known."""
    left, right, sums, *numbers = a["algorithm"].strip("[]").split(",")
    (*counts, kept), is_imprecise = map(int, numbers[:3]), numbers[3] != "false"
    if counts == [1, 1] and kept > 1: counts = [math.isqrt(kept - 1) + 1] * 2
    if is_imprecise or not 0 < kept <= counts[0] * counts[1] or max(counts) > 8: raise NotDecided("an algorithm of this kind")
    if p["operand_rounding"] not in ("rn", "tf32") or p["ftz"] != "none": raise NotDecided("operands rounded otherwise (operand_rounding, ftz)")
    return Format(left), Format(right), Format(sums), counts, kept

def joined(s):
    """A set without gaps between its numbers."""
    ends = hull(s)
    return [v for v in s if isinstance(v, str)] + (parts_of(min(ends), max(ends), ("+0", "-0")) if ends else [])

def sums_of(read, pairs, ways, a, p, note):
    """All sums that the algorithm may give, in its type: what lies between those of the ways to split; `read` gives the one number there.
    Each leaf is granted a rounding, also where none is needed (T17); where a sum may round, those that are zero are counted too."""
    left, right, f, counts, kept = members(a, p)
    result, theorems = [], set()
    def remember(theorem, *bounds):
        theorems.add(theorem)
        note(theorem, *bounds)
    is_free = [t.name == "tf32" and p["operand_rounding"] == "tf32" for t in (left, right)]
    for m, n in ((m, n) for m in splits(counts[0], is_free[0]) for n in splits(counts[1], is_free[1])):
        leaves = []
        for i, j in pairs:
            for k, other, sign in ways:
                x, y = components(read(0, i, k), left, m), components(read(1, j, other), right, n)
                terms = [multiply(x[c], y[d]) for c, d in primitives(left, right, counts, kept)]
                leaves += [[t if sign > 0 else mirror(t)] for t in terms]
        total = add_up(leaves + [["+0"]], f, p, remember) + add_up(leaves, f, p, remember)
        if {"nan", "+inf", "-inf"} & set(total): raise NotDecided("products of components that overflow")
        is_exact = theorems <= {"T17"} and len(ways) == 1
        count = sum(size_of(leaf) > 0 for leaf in leaves) if is_exact else len(leaves)
        more = count * (2 * f.u * sum(map(size_of, leaves)) + f.eta)
        result += rounded([v for part in total for v in ([part] if isinstance(part, str) else parts_of(part[0] - more, part[1] + more))], f, p, True)
    return joined(result)

def point_at(t, i, p, part=0):
    s = ["+0"] if i is None else t.at(i, p, part)
    if not is_point(s): raise NotDecided("components of numbers that are not certain")
    return s[0]

def split_products(op, a, o, r, number, index, part, p, note):
    """dot_general of floats, complex ones too, by components; what check_evidence.py knows is left to it."""
    words = a.get("algorithm", "").strip("[]").split(",")
    if len(words) < 2 or words[5:] == ["1", "false"] and "tf32" not in words or any(t.format is None for t in (*o, r)):
        return products(op, a, o, r, number, index, part, p, note)
    ways = [(0, 0, 1)] if r.parts == 1 else [(0, 1, 1), (1, 0, 1)] if part else [(0, 0, 1), (1, 1, -1)]
    pairs = pairs_of(op, a, o, r, index, p)
    total = sums_of(lambda side, i, k: point_at(o[side], i, p, k), pairs, ways, a, p, note)
    return rounded(total, r.format, p, True)

def split_quantized_products(op, a, o, r, number, index, part, p, note):
    """Of dequantized numbers, rounded as the algorithm says, and quantized (T194); for f32, which nobody computes in another type."""
    if "algorithm" not in a: return quantized_products(op, a, o, r, number, index, part, p, note)
    f = r.expressed if r.quantum else r.format
    if any(t.format is None and not t.quantum for t in (*o, r)): raise NotDecided("an algorithm of integers")
    if f.name != "f32" or any((t.expressed if t.quantum else t.format).name != "f32" for t in o): raise NotDecided("types of an algorithm")
    pairs = pairs_of(op, a, o, r, index, p)
    total = rounded(sums_of(lambda side, i, k: point_at(o[side], i, p), pairs, [(0, 0, 1)], a, p, note), f, p, not r.quantum)
    return quantized(total, r, index, p) if r.quantum else total

OPS.update({"stablehlo.dot_general": split_products, "quantized stablehlo.dot_general": split_quantized_products})
