# SPDX-License-Identifier: Apache-2.0
"""What check_evidence.py, which imports this if it stands beside it, knows of ops that are no plain sums: conversions,
quantized values, and formulas, whose functions are enclosed by fractions.  As there: plain Python, nothing of Assay's.
Each function returns all that the contract permits at one place of a result."""
import math
from fractions import Fraction as Q
from check_evidence import (OPS, Format, NotDecided, add_up, combined, extreme, hull, is_point, mirror, multiply, numbers, pairs_of,
                            parts_of, rounded, size_of, whole)

# ---- Elementary functions: pairs that enclose the exact value ---------------------------------------------------------
def cut(x, up, bits=400):
    """x, moved down or up to so many bits, that fractions stay short."""
    unit = Q(2) ** (abs(x.numerator).bit_length() - x.denominator.bit_length() - bits)
    return (math.ceil if up else math.floor)(x / unit) * unit

def outwards(low, high):
    """A larger interval with shorter ends."""
    tiny = Q(2) ** -3000
    return Q(0) if 0 < low < tiny else cut(low, False, 200), tiny if 0 < high < tiny else cut(high, True, 200)

def exp(x):
    if abs(x) > 5000: return (Q(0), Q(2) ** -7000) if x < 0 else (Q(2) ** 7000, Q(2) ** 20000)
    halvings = max(0, abs(x).numerator.bit_length() - x.denominator.bit_length() + 8)
    r, term, low = cut(x / 2 ** halvings, False), Q(1), Q(1)  # |r| <= 2^-7: sixty terms leave less than 2^-600.
    for i in range(1, 60): term = cut(term * r / i, False); low += term
    low, high = low - Q(2) ** -380, low + Q(2) ** -380
    for _ in range(halvings): low, high = cut(low * low, False), cut(high * high, True)
    return low, high

def log(x):
    guess = Q(math.log(x))  # Good or bad: r - r^2 <= log(1 + r) <= r for |r| <= 1/2.
    low, high = (x / e - 1 for e in reversed(exp(guess)))
    if max(abs(low), abs(high)) > Q(1, 2): raise NotDecided(f"a logarithm of {float(x)}")
    return guess + low - low ** 2, guess + high

def digits(text): return Q(text), Q(text) + Q(10) ** (text.find(".") + 1 - len(text))
TWO_OVER_ROOT_PI = digits("1.128379167095512573896158903121545171688101258657997713688171443421284936882986828973487320404214")
ROOT_HALF = digits("0.707106781186547524400844362104849039284835937688474036588339868995366239231053519425193767163820")
ROOT_TWO_OVER_PI = digits("0.797884560802865355879892119868763736951717262329869315331851659341315851798603677002504667814613")

def erf(x):
    """2 / sqrt(pi) times the sum of (-1)^n x^(2n+1) / (n! (2n+1))."""
    if x < 0: return mirror(erf(-x))
    if x > 12: return 1 - Q(2) ** -200, Q(1)
    x, total, n = cut(x, False), Q(0), 0
    term = x
    while n < 2 * x * x or abs(term) > Q(2) ** -300 * x:  # Then the terms fall, and each is more than what follows.
        total, term, n = total + cut(term / (2 * n + 1), False, 1200), cut(-term * x * x / (n + 1), False, 1200), n + 1
    return total * (1 - Q(2) ** -280) * TWO_OVER_ROOT_PI[0], min(total * (1 + Q(2) ** -280) * TWO_OVER_ROOT_PI[1], Q(1))

# ---- Elementwise ops and conversions --------------------------------------------------------------------------------
def divide(a, b):
    if isinstance(b, str): return multiply(a, "nan" if b == "nan" else b[0] + ("0" if b[1:] == "inf" else "inf"))
    return multiply(a, (1 / b[1], 1 / b[0]))

def elementwise(op, a, o, r, number, index, part, p, note):
    name = op.partition(".")[2]
    if r.parts == 2 and name in ("multiply", "maximum", "minimum"): raise NotDecided("complex numbers")
    if r.format is None:
        x, y = ([t.integer(index) for t in o] * 2)[:2]
        total = {"add": x + y, "subtract": x - y, "multiply": x * y, "maximum": max(x, y), "minimum": min(x, y), "negate": -x}[name]
        return whole(total, 0 if r.low <= total <= r.high else abs(total), r, p)
    s, f = [t.at(index, p, part) for t in o], r.format
    if name == "negate": return [mirror(v) for v in s[0]]
    if name in ("maximum", "minimum"): return extreme(s, name == "maximum", p)
    if name == "multiply": return rounded(combined(multiply, *s), f, p, True)
    return rounded(add_up([s[0], s[1] if name == "add" else [mirror(v) for v in s[1]]], f, p, note), f, p, True)

def convert(op, a, o, r, number, index, part, p, note):
    x = o[0]
    if r.bits == 1 and x.parts == 1:
        s = x.at(index, p) if x.format else [(x.integer(index),) * 2]
        if "nan" in s: raise NotDecided("NaN as i1")
        return [(int(part not in ("+0", "-0", (0, 0))),) * 2 for part in s]
    if r.parts == 2 or r.bits == 1: raise NotDecided("conversions to complex numbers")
    if r.format:  # Of a complex number: its real part.
        s = x.at(index, p) if x.format else parts_of(Q(x.integer(index)), Q(x.integer(index)))
        if p["convert_rounding"] == "any" and any(r.format.nearest(e) != e for e in hull(s)): raise NotDecided("any rounding (convert_rounding)")
        if (size_of(s) > r.format.largest or not hull(s)) and (p["convert_overflow"] == "any" or p["convert_infinity"] != "keep"):
            raise NotDecided("numbers too large to convert")
        ends = rounded(s, r.format, p, True, False)
        if p["convert_rounding"] == "faithful" and is_point(s) and ends != s: raise NotDecided("either neighbour (convert_rounding)")
        return ends
    if not x.format:
        if not r.low <= x.integer(index) <= r.high and p["convert_narrowing"] != "wrap": raise NotDecided("integers out of range (convert_narrowing)")
        return whole(x.integer(index), 0, r, p)
    s = x.at(index, p)
    if {"nan", "+inf", "-inf"} & set(s): raise NotDecided("no number becomes an integer")
    ends = [math.trunc(e) for e in hull(s)]
    if p["convert_truncation"] != "saturate" and not r.low <= min(ends) <= max(ends) <= r.high: raise NotDecided("floats out of range (convert_truncation)")
    return [tuple(sorted((r.low, e, r.high))[1] for e in (min(ends), max(ends)))]

# ---- Quantized values -----------------------------------------------------------------------------------------------
def to_integers(s, zero, low, high):
    """The integers nearest to a set, ties to even, with a zero point, clamped."""
    if "nan" in s: raise NotDecided("an integer of NaN")
    ends = [sorted((low, round(e) + zero, high))[1] for e in hull(s)] + [low] * ("-inf" in s) + [high] * ("+inf" in s)
    return [(min(ends), max(ends))]

def quantized(s, r, index, p, each=False):
    """uniform_quantize of a set (D9, T163, T179, T294); `each`: by ops of their own, so that each step rounds."""
    (scale, zero), f = r.scale(index), r.expressed
    letter = (p["quantize"], p["quantize_ties"], p.get("quantize_quotient", "rounded"))
    if letter != ("divide", "even", "rounded"): raise NotDecided("another way to quantize")
    def step(s): return rounded(s, f, p, each, not each)
    def shift(part): return [part] if part in ("nan", "+inf", "-inf") else parts_of(*(e + zero for e in hull([part])))
    quotients = step(combined(divide, s, [(scale, scale)]))
    result = step([v for part in quotients for v in shift(part)])
    reach = [*hull(result), Q(r.low) * ("-inf" in result), Q(r.high) * ("+inf" in result)]
    odd = any(f.nearest(Q(v)) != v and max(e / v for e in reach) > Q(1, 2) for v in (r.low, r.high) if v)  # Ends that round, and are near.
    if f.nearest(Q(zero)) != zero or odd: raise NotDecided("ends that the expressed type has not")
    last = to_integers(quotients, zero, r.low, r.high) if p["quantize_zero_point"] == "either" else []
    return to_integers(result, 0, r.low, r.high) + last

def rescaled(terms, r, index, p, of=sum):
    """Integers times scales, summed exactly (or the extreme of them) and rescaled in floats (T43): what permission `quantized` adds.  A
    term is an integer, its scale, and the magnitudes that it is the difference of, as zero points may be multiplied out."""
    (scale, zero), f = r.scale(index), r.expressed
    if p["quantized"] == "dequantize": return []
    if p["rescale"] not in ("exact", "float"): raise NotDecided("integers rescaled in fixed point")
    values, sizes, most = [n * s / scale for n, s, _ in terms], sum(m * s / scale for _, s, m in terms) + abs(zero), sum(m for *_, m in terms)
    exact = all(f.nearest(s / scale, 1 - f.p) == s / scale for _, s, _ in terms) and most + abs(zero) < 2 ** f.p
    exact = exact and sizes <= min([Q(1), *(s / scale for _, s, _ in terms)]) * 2 ** f.p  # All are multiples of the least of them (T17).
    bound = 0 if exact else 8 * f.u / (1 - 8 * f.u) * sizes + (most + abs(zero) + 8) * f.eta
    value = of(values) + zero
    if f.nearest(value) != value: bound += f.u * abs(value)
    if sizes > f.largest / 4: raise NotDecided("overflow of rescaled integers")
    shifts = (0, zero) if p["rescale"] == "float" or p["quantize_zero_point"] == "either" else (0,) # T43, T294
    return [v for z in shifts for v in to_integers(parts_of(value - z - bound, value - z + bound), z, r.low, r.high)]

def term_of(t, i):
    """A value as an integer times a scale."""
    scale, zero = t.scale(i)
    return t.integer(i) - zero, scale, abs(t.integer(i)) + abs(zero)

def quantized_products(op, a, o, r, number, index, part, p, note):
    """Of dequantized numbers, by sums in the expressed type, or of integers that are rescaled; hybrid ones are floats (T43, T163)."""
    pairs = pairs_of(op, a, o, r, index, p)
    if "algorithm" in a or r.format is None and not (r.quantum and o[0].quantum): raise NotDecided("an algorithm, or types, of this kind")
    f = r.expressed if r.quantum else r.format
    leaves = [combined(multiply, ["+0"] if i is None else o[0].at(i, p), o[1].at(j, p)) for i, j in pairs]
    total = add_up([["+0"], *leaves], f, p, note) + add_up(leaves, f, p, note)
    if not r.quantum: return rounded(total, f, p, True)
    factors = [(term_of(o[0], i), term_of(o[1], j)) for i, j in pairs if i is not None]
    terms = [tuple(x * y for x, y in zip(*pair)) for pair in factors]
    return quantized(rounded(total, f, p), r, index, p) + rescaled(terms, r, index, p)

def quantized_elementwise(op, a, o, r, number, index, part, p, note):
    name, s, f = op.partition(".")[2], [t.at(index, p) for t in o], r.expressed
    if not all(t.quantum for t in o): raise NotDecided("mixed operands")
    terms = [term_of(t, index) for t in o]
    if name in ("maximum", "minimum"):
        return quantized(extreme(s, name == "maximum", p), r, index, p) + rescaled(terms, r, index, p, max if name == "maximum" else min)
    if name == "multiply":
        return quantized(rounded(combined(multiply, *s), f, p), r, index, p) + rescaled([tuple(x * y for x, y in zip(*terms))], r, index, p)
    return quantized(rounded(add_up(s, f, p, note), f, p), r, index, p) + rescaled(terms, r, index, p)

def dequantized(x, index, p):
    """uniform_dequantize by ops of their own: the difference and the product round."""
    (scale, zero), f = x.scale(index), x.expressed
    return rounded(combined(multiply, rounded(parts_of(*(Q(x.integer(index) - zero),) * 2), f, p, True, False), [(scale, scale)]), f, p, True, False)

def uniform_quantize(op, a, o, r, number, index, part, p, note):
    if o[0].quantum and p["requantize"] != "two_steps": raise NotDecided("scales merged (requantize)")
    s, each = o[0].at(index, p), r.expressed.bits > 16
    if o[0].quantum and each: s = rounded(s, o[0].expressed, p, True, False) if is_point(s) else dequantized(o[0], index, p)
    return quantized(s, r, index, p, each)

def uniform_dequantize(op, a, o, r, number, index, part, p, note): return rounded(o[0].at(index, p), r.format, p, True)

def byteir_quantize(op, a, o, r, number, index, part, p, note):
    """clamp(round(x / scale) + zero point), as ONNX has it (T179)."""
    at = r.place(index)[int(a["axis"]) % len(r.shape)] if "axis" in a else 0
    if (p["quantize"], p["quantize_ties"]) != ("divide", "even"): raise NotDecided("another way to quantize")
    return to_integers(rounded(combined(divide, o[0].at(index, p), o[1].at(at, p)), o[0].format, p), o[2].integer(at), r.low, r.high)

def row_of(x, r, index, axis, place):
    return [x.index([*place[:axis], k, *place[axis:]]) for k in range(x.shape[axis])]

# ---- Formulas -------------------------------------------------------------------------------------------------------
def ways(name, f, p):
    """The formats that a formula of type f may be computed in, with the ulps that a function may err by there."""
    formats = [Format("f32")] * (f.bits == 16 and p["intermediate"] != "native") + [f] * (f.bits != 16 or p["intermediate"] != "wide")
    return [(g, p[f"{name}_{g.name}"]) for g in formats]

def computed(name, f, p):
    """The coarsest of these formats, and the largest relative error of the function."""
    return max((g for g, _ in ways(name, f, p)), key=lambda g: g.u), max(2 * (1 if k == "faithful" else int(k)) * g.u for g, k in ways(name, f, p))

def within(low, high, g, k):
    """What a function may give for a value in the interval, which is above 0: so many ulps off, or a neighbour (T61)."""
    e = high.numerator.bit_length() - high.denominator.bit_length()
    unit = Q(2) ** (max(e - (high < Q(2) ** e), g.emin) - g.p + 1)
    if k == "faithful": return math.floor(low / unit) * unit, math.ceil(high / unit) * unit
    return max(low - int(k) * unit, Q(0)), high + int(k) * unit

def erf_op(op, a, o, r, number, index, part, p, note):
    """T61: within the permitted ulps of the exact value, and within [-1, 1]."""
    s, f = o[0].at(index, p), r.format
    if s == ["nan"]: return s
    if len(s) > 1 or isinstance(s[0], str) or p["function_range"] != "strict": raise NotDecided("erf of such numbers, or beyond 1")
    ends = [within(*erf(abs(s[0][0])), g, k) for g, k in ways("erf", f, p)]
    low, high = min(e[0] for e in ends), min(Q(1), max(e[1] for e in ends))
    exact = outwards(*erf(abs(s[0][0])))
    note("T61", *(exact if s[0][0] > 0 else mirror(exact)), cut(max(exact[0] - low, high - exact[1]), True, 100))
    return [v if s[0][0] > 0 else mirror(v) for v in rounded(parts_of(low, high), f, p, True)]

def gelu(op, a, o, r, number, index, part, p, note):
    """T72: by which all formulas are near x Phi(x); and none is on the other side of 0 than x."""
    s, f, by_tanh = o[0].at(index, p), r.format, a["approximate"] == "tanh"
    if s in (["nan"], ["+inf"], ["+0"], ["-0"]): return s
    if len(s) > 1 or s == ["-inf"] or p["gelu"] not in ("complement", "sum") or p["function_range"] != "strict" or p["exp_by_exp2"] != "no":
        raise NotDecided("gelu of such numbers, or by such formulas")
    x, sums = s[0][0], p["gelu"] == "sum"
    if by_tanh:
        (g, k), (_, more) = computed("exp", f, p), computed("tanh", f, p)
        z = [c * (x + Q(44715, 10 ** 6) * x ** 3) for c in ROOT_TWO_OVER_PI]
        shares = [1 / (1 + e) for z_end in z for e in exp(-2 * z_end)]
        c = max(Q(23, 100) * Q(19, 2) * g.u + Q(3, 10) * k, (Q(45, 100) * Q(19, 2) * g.u + more + Q(21, 10) * g.u) / 2 if sums else 0)
    else:
        (g, k), (_, more) = computed("erfc", f, p), computed("erf", f, p)
        shares = [(1 + e) / 2 for half in ROOT_HALF for e in erf(x * half)]
        c = max((Q(11, 10) * g.u + 2 * k) / 2, (Q(11, 10) * g.u + more + Q(21, 10) * g.u) / 2 if sums else 0)
    size, ends = abs(x), (min(shares), max(shares))
    bound = Q(9, 8) * c * size + 4 * g.u * size * ends[1] + 8 * (1 + max(k, more) / g.u) * (1 + size) * g.eta
    if p["ftz"] != "none": bound += 16 * (1 + size) * g.normal
    low, high, exact = *outwards(max(size * ends[0] - bound, Q(0)), size * ends[1] + bound), outwards(size * ends[0], size * ends[1])
    note("T72", *(exact if x > 0 else mirror(exact)), cut(bound, True, 100))
    return [v if x > 0 or (p["ftz"] != "none" and v in ("+0", "-0")) else mirror(v) for v in rounded(parts_of(low, high), f, p, True)]

def softmax(op, a, o, r, number, index, part, p, note):
    """T71: all formulas are near exp(x) / sum exp(x), by a factor and a loss.  log_softmax: by steps (T60, T61)."""
    x, f, axis, place = o[0], r.format, int(a["axis"]) % len(o[0].shape), r.place(index)
    own = place.pop(axis)
    row = [x.at(i, p) for i in row_of(x, r, index, axis, place)]
    if any(s[0] in ("nan", "+inf") for s in row) and p[op.partition(".")[2]] != "unshifted": return ["nan"]
    if not all(map(is_point, row)) or any(s[0] in ("+inf", "-inf") for s in row): raise NotDecided("softmax of such numbers")
    if p[op.partition(".")[2]] == "unshifted" or p["exp_by_exp2"] != "no" or p["ftz"] != "none": raise NotDecided("such formulas")
    values, (g, k), n = [hull(s)[0] for s in row], computed("exp", f, p), len(row)
    if p["softmax"] == "scaled": k = max(k, computed("exp2", f, p)[1])
    most = max(values)
    spread, magnitude = most - min(values), max(map(abs, values))
    terms = [exp(v - most) for v in values]
    low, high = (sum(t[e] for t in terms) for e in (0, 1))
    if op.endswith("log_softmax"):
        truth = outwards(*(values[own] - most - log(e)[side] for side, e in ((1, high), (0, low))))
        if n * g.u > Q(1, 64) or k > Q(1, 64): raise NotDecided("log_softmax in so few bits")
        error = (k + 2 * g.u * spread + (n + 2) * g.u) * Q(33, 32)
        low, high = low * (1 - error) - 4 * n * g.eta, high * (1 + error) + 4 * n * g.eta
        error = computed("log", f, p)[1]
        if low <= 0: raise NotDecided("a logarithm near 0")
        ends = [e + s * (abs(e) * error + 32 * g.eta) for s, e in ((-1, log(low)[0]), (1, log(high)[1]))]
        if p["log_softmax"] not in ("shifted", "logsumexp"): raise NotDecided("such formulas")
        exact, logarithm = values[own] - most, max(abs(e) for e in ends)
        slack = Q(33, 32) * g.u * (2 * (abs(exact) + logarithm) + (abs(most) if p["log_softmax"] == "logsumexp" else 0)) + 4 * g.eta
        low, high = outwards(exact - ends[1] - slack, exact - ends[0] + slack)
        note("T60, T61", *truth, cut(max(truth[0] - low, high - truth[1]), True, 100))
        return rounded(parts_of(low, high, ("+0", "-0")), f, p, True)
    t = 2 * (g.u * spread + k) + (n + 2) * g.u + (n * (k + 2 * g.u) if p["softmax"] != "shifted" else 0)
    off = Q(41, 10) * g.u * (magnitude + spread) if p["softmax"] == "scaled" else Q(0)
    if n * (k + 2 * g.u) > Q(1, 32) or k > Q(1, 64) or off >= 1: raise NotDecided("softmax in so few bits")
    t = (t + 2 * off) * Q(33, 32)
    loss = (6 * (n + 1) + 48 * n * n) * (k / (2 * g.u) + 1) * g.eta * 3 + 2 * g.eta
    exact = outwards(terms[own][0] / high, terms[own][1] / low)
    low, high = outwards(max(exact[0] * exp(-t)[0] - loss, Q(0)), exact[1] * exp(t)[1] + loss)
    note("T71", *exact, cut(max(exact[0] - low, high - exact[1]), True, 100))
    return rounded(parts_of(low, high), f, p, True)

ELEMENTWISE = [f"stablehlo.{name}" for name in ("add", "subtract", "multiply", "maximum", "minimum", "negate")]
OPS.update({**dict.fromkeys(ELEMENTWISE, elementwise), "stablehlo.convert": convert, "byteir.quantize": byteir_quantize,
            "byteir.erf": erf_op, "byteir.gelu": gelu,
            "byteir.softmax": softmax, "byteir.log_softmax": softmax,
            **{f"quantized {op}": quantized_products for op in ("stablehlo.dot_general", "stablehlo.convolution")},
            **{f"quantized stablehlo.{op}": quantized_elementwise for op in ("add", "multiply", "maximum", "minimum")},
            "quantized stablehlo.uniform_quantize": uniform_quantize, "quantized stablehlo.uniform_dequantize": uniform_dequantize})
