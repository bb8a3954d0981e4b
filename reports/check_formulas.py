# SPDX-License-Identifier: Apache-2.0
"""What check_evidence.py, which imports this if it stands beside it, knows of elementary functions: exponentials, logarithms,
roots, the logistic function, sine and cosine, enclosed by fractions; and of ops that are exact, or round once: quotients,
remainders, comparisons, choices.  As there: plain Python, nothing of Assay's.
Each function returns all that the contract permits at one place of a result."""
import math
from fractions import Fraction as Q
from check_evidence import OPS, NotDecided, add_up, combined, extreme, mirror, parts_of, rounded
from check_other_ops import cut, divide, exp, log, outwards, quantized, rescaled, term_of, ways

# ---- Elementary functions: pairs that enclose the exact value ---------------------------------------------------------
def expm1(x):
    """exp(x) - 1; near 0 by its series, whose terms halve at least, so that all that follow are less than the last one."""
    if abs(x) > Q(1, 2): return tuple(e - 1 for e in exp(x))
    low = term = x
    for i in range(2, 90): term = cut(term * x / i, False, 500); low += term
    return low - abs(x) * Q(2) ** -280, low + abs(x) * Q(2) ** -280

def log1p(x):
    """log(1 + x): near a guess g it is g + log((1 + x) / exp(g)), and r - r^2 <= log(1 + r) <= r for |r| <= 1/2."""
    if abs(x) > Q(1, 2): return log(1 + x)
    if abs(x) < Q(2) ** -150: return x - x * x, x
    guess = Q(math.log1p(x))
    low, high = ((1 + x) / e - 1 for e in reversed(exp(guess)))
    return guess + low - low ** 2, guess + high

def tanh(x):
    """m / (m + 2), m = exp(2x) - 1."""
    low, high = (e / (e + 2) for e in expm1(2 * abs(x)))
    return (low, high) if x > 0 else (-high, -low)

def root(x):
    """The square root, by whole numbers: floor(sqrt(n)) and the next one, and both are it if it is whole."""
    shift = 2 * max(0, 500 - x.numerator.bit_length() // 2 + x.denominator.bit_length() // 2)
    scaled = x * 2 ** shift
    least = math.isqrt(math.floor(scaled))
    return Q(least, 2 ** (shift // 2)), Q(least + (least * least != scaled), 2 ** (shift // 2))

def inverse_root(x): return tuple(1 / e for e in reversed(root(x)))

def arc_tangent(n, bits):
    """2^bits arctan(1/n), and by how much it may be off: each term of its series is cut by less than 1."""
    total, power, k = 0, 2 ** bits // n, 0
    while power: total, power, k = total + (-1) ** k * (power // (2 * k + 1)), power // (n * n), k + 1
    return total, 2 * k + 2

def half_pi(bits=2000):
    """pi / 2 = 8 arctan(1/5) - 2 arctan(1/239): Machin."""
    (five, off), (more, off_more) = arc_tangent(5, bits), arc_tangent(239, bits)
    return tuple(Q(8 * five - 2 * more + sign * (8 * off + 2 * off_more), 2 ** bits) for sign in (-1, 1))

HALF_PI = half_pi()

def series(x, is_sine):
    """Sine or cosine for |x| < 1, whose terms alternate and fall: the rest is less than the next term."""
    x, total, n = cut(x, False, 700), Q(0), int(is_sine)
    term = x if is_sine else Q(1)
    while abs(term) > abs(x) * Q(2) ** -400 and n < 200:
        total, term, n = total + term, cut(-term * x * x / ((n + 1) * (n + 2)), False, 700), n + 2
    off = Q(2) ** -350 * (abs(x) if is_sine else 1)
    return total - off, total + off

def of_quarters(x, quarters):
    """sin(x + quarters pi / 2), after a multiple of pi / 2 was taken from x, with all digits that x asks for."""
    turns = round(x / HALF_PI[0])
    rest = [x - turns * e for e in HALF_PI]
    middle, off = sum(rest) / 2, abs(rest[1] - rest[0])  # Sine and cosine move by no more than their argument.
    low, high = series(middle, (turns + quarters) % 2 == 0)
    pair = low - off, high + off
    return pair if (turns + quarters) % 4 < 2 else (-pair[1], -pair[0])

def sin(x): return of_quarters(x, 0)
def cos(x): return of_quarters(x, 1)

# ---- What a function may deliver --------------------------------------------------------------------------------------
ANY_ZERO = ["+0", "-0"]
# Of what the functions are where they are no number other than 0: a part, or such a number, which may be missed.  A root of -0
# is left open where it is inverted; log(1) has either sign.
AT = {"exp": {"+inf": "+inf", "-inf": "+0", "+0": Q(1), "-0": Q(1)}, "expm1": {"+inf": "+inf", "-inf": Q(-1), "+0": "+0", "-0": "-0"},
      "log": {"+inf": "+inf", "-inf": "nan", "+0": "-inf", "-0": "-inf"}, "log1p": {"+inf": "+inf", "-inf": "nan", "+0": "+0", "-0": "-0"},
      "tanh": {"+inf": Q(1), "-inf": Q(-1), "+0": "+0", "-0": "-0"}, "rsqrt": {"+inf": "+0", "-inf": "nan", "+0": "+inf", "-0": "-inf"},
      "sin": {"+inf": "nan", "-inf": "nan", "+0": "+0", "-0": "-0"}, "cos": {"+inf": "nan", "-inf": "nan", "+0": Q(1), "-0": Q(1)}}
EXACT = {"exp": exp, "expm1": expm1, "log": log, "log1p": log1p, "tanh": tanh, "rsqrt": inverse_root, "sin": sin, "cos": cos}
RANGE = {"exp": (0, None), "expm1": (-1, None), "tanh": (-1, 1), "rsqrt": (0, None), "sin": (-1, 1), "cos": (-1, 1)}
BY_SIGN = ("expm1", "log1p", "tanh", "sin", "cos")  # No result has another sign than the exact value (T227).

def truth(name, part):
    """What a function is of a part that is one number, or none: a part, or a pair that encloses it."""
    if part == "nan": return part
    value = AT[name][part] if isinstance(part, str) else part[0]
    if isinstance(part, str): return value if isinstance(value, str) else (value, value)
    if value < 0 and name in ("log", "rsqrt") or value < -1 and name == "log1p": return "nan"
    return "-inf" if value == -1 and name == "log1p" else outwards_both(*EXACT[name](value))

def outwards_both(low, high):
    """A larger interval with shorter ends, of any sign: so much that what works with 128 bits has no larger one."""
    if low == high: return low, high
    low, high = low - abs(low) * Q(2) ** -100, high + abs(high) * Q(2) ** -100
    return outwards(low, high) if low >= 0 else mirror(outwards(-high, -low)) if high <= 0 else (low, high)

def spacing(x, g):
    """An ulp of x, not below 0, in g."""
    e = x.numerator.bit_length() - x.denominator.bit_length() if x else g.emin
    return Q(2) ** (max(e - (x < Q(2) ** e), g.emin) - g.p + 1)

def below(x, g):
    """The number of g that is not above x, or one beyond its largest."""
    unit = spacing(abs(x), g)
    return x // unit * unit

def missed(name, low, high, g, k, p):
    """T61: what lies within k ulps in g of a value in the interval, or in g beside one, and in the function's range."""
    reach = 0 if k == "faithful" else spacing(max(abs(low), abs(high)), g) * int(k)  # No ulp in the interval is more.
    ends = [below(low, g), -below(-high, g)] if k == "faithful" else [low - reach, high + reach]
    if p["function_range"] != "strict": return parts_of(*ends, ANY_ZERO)
    least, most = RANGE.get(name, (None, None))
    if name in BY_SIGN and low > 0: least = Q(0)
    if name in BY_SIGN and high < 0: most = Q(0)
    if least is not None: ends[0] = max(ends[0], Q(least))
    if most is not None: ends[1] = min(ends[1], Q(most))
    return parts_of(*ends, ANY_ZERO if ends[0] < 0 < ends[1] or name == "log" else ["-0"] if ends[1] <= 0 and ends[0] < 0 else ["+0"])

def delivered(name, s, g, k, p):
    """What a function of each part of a set may be in g; an inverse root within an ulp, as its quotient is no better."""
    result, reach = [], 1 if name == "rsqrt" and k == "faithful" else k
    for part in s:
        value = truth(name, part)
        result += [value] if isinstance(value, str) else missed(name, *value, g, reach, p)
        if name == "rsqrt" and part == "-0": result += ["+inf"]
    return list(dict.fromkeys(result))

def operand(o, r, index, p):
    if r.format is None or r.parts == 2 or r.format.name not in ("f64", "f32", "f16", "bf16"): raise NotDecided("a function of such types")
    return o[0].at(index, p)

def tell(note, theorem, exact, s):
    """The exact value, and how far from it the set reaches; nothing of what overflows."""
    ends = [e for part in s if not isinstance(part, str) for e in part]
    if isinstance(exact, str) or not ends or exact[1] > Q(2) ** 1100: return
    note(theorem, *exact, cut(max(exact[0] - min(ends), max(ends) - exact[1], Q(0)), True, 100))

def function(op, a, o, r, number, index, part, p, note):
    """T61, T227: in each format that the contract permits to compute in, and then rounded to the type."""
    name = NAMES[op]
    s, f = operand(o, r, index, p), r.format
    if name == "exp" and p["exp_by_exp2"] != "no": raise NotDecided("exponentials by powers of two (exp_by_exp2)")
    result = [v for g, k in ways(name, f, p) for v in rounded(delivered(name, s, g, k, p), g, p)]
    if name == "rsqrt":  # Or the quotient 1 / sqrt(x), whose steps round.
        for g, _ in ways(name, f, p):
            roots = rounded([v for part in s for v in root_of(part)], g, p)
            result += rounded(combined(divide, [(Q(1), Q(1))], roots), g, p)
    tell(note, "T61, T227", truth(name, s[0]), result)
    return rounded(result, f, p, True)

def root_of(part):
    """The square root of a part that is one number, or none."""
    if isinstance(part, str): return ["nan"] if part == "-inf" else [part]
    return ["nan"] if part[0] < 0 else [root(part[0])]

def sqrt(op, a, o, r, number, index, part, p, note):
    """T226: rounded once."""
    if r.format is None or r.parts == 2: raise NotDecided("roots of such types")
    s = [v for x in o[0].at(index, p) for v in root_of(x)]
    if not isinstance(s[0], str): note("T226", *s[0], Q(0))
    return rounded(s, r.format, p, True, False)

def logistic(op, a, o, r, number, index, part, p, note):
    """T225: 1 / (1 + exp(-x)), whose steps may err, and the two numbers around the exact value."""
    if p["logistic"] != "exponential" or p["exp_by_exp2"] != "no": raise NotDecided("logistic by other formulas")
    s, f, result, one = operand(o, r, index, p), r.format, [], [(Q(1), Q(1))]
    for g, k in ways("exp", f, p):
        power = rounded(delivered("exp", [mirror(v) for v in s], g, k, p), g, p)
        total = [v for e in power for v in rounded(add_up([[e], one], g, p, lambda *_: None), g, p)]
        result += rounded(combined(divide, one, total), g, p)
    for x in s:
        if isinstance(x, str): continue
        low, high = (1 / (1 + e) for e in reversed(exp(-x[0])))
        note("T225", *outwards(low, high), Q(0))
        unit = spacing(high, f)
        result += parts_of(math.floor(low / unit) * unit, math.ceil(high / unit) * unit)
    return rounded(result, f, p, True)

# ---- Ops that are exact, or round once (T226) -------------------------------------------------------------------------
def element(t, index, p, part=0):
    """What is read of an operand, of which one element may stand for all."""
    index = index if t.shape else 0
    if t.format is None: return [(t.integer(index),) * 2]
    return t.at(index, p, part)

def signed_zero(value, sign_of):
    """A number, or the zero that has the sign of another number."""
    return (value, value) if value else "-0" if sign_of < 0 else "+0"

def whole_quotient(x, y): return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

def remainder_of(x, y):
    """x less the multiple of y by the quotient without its fraction: exact, with the sign of x."""
    if "nan" in (x, y) or x in ("+inf", "-inf") or y in ("+0", "-0"): return "nan"
    if isinstance(x, str) or isinstance(y, str): return x
    return signed_zero(x[0] - y[0] * whole_quotient(x[0], y[0]), x[0])

def quotients(op, a, o, r, number, index, part, p, note):
    """divide and remainder: of floats rounded once, of integers without a fraction."""
    x, y = ([*element(t, index, p)] for t in o)
    if r.parts == 2: raise NotDecided("quotients of complex numbers")
    if r.format is None:
        x, y = x[0][0], y[0][0]
        if y == 0 or (x, y) == (r.low, -1): raise NotDecided("integers divided by 0, or quotients beyond the type")
        return [(whole_quotient(x, y) if op.endswith("divide") else x - y * whole_quotient(x, y),) * 2]
    if op.endswith("divide") and p["division"] != "exact": raise NotDecided("quotients by an inverse (division)")
    exact = combined(divide if op.endswith("divide") else remainder_of, x, y)
    if len(exact) == 1 and not isinstance(exact[0], str): note("T226", *exact[0], Q(0))
    return rounded(exact, r.format, p, True, False)

ROUNDINGS = {"floor": math.floor, "ceil": math.ceil, "round_nearest_even": round,
             "round_nearest_afz": lambda v: math.floor(abs(v) + Q(1, 2)) * (1 if v > 0 else -1)}

def unary(op, a, o, r, number, index, part, p, note):
    """Roundings to whole numbers, signs and magnitudes; zeros keep their sign but under abs."""
    name = op.partition(".")[2]
    if r.parts == 2 or o[0].parts == 2: raise NotDecided("complex numbers")
    if r.format is None:
        x = o[0].integer(index)
        if name == "abs" and x == r.low and r.is_signed: raise NotDecided("a magnitude beyond the type")
        return [((x > 0) - (x < 0) if name == "sign" else abs(x),) * 2]
    def of(x):
        if name == "abs": return mirror(x) if x in ("-inf", "-0") or not isinstance(x, str) and x[0] < 0 else x
        if isinstance(x, str): return {"+inf": (Q(1),) * 2, "-inf": (Q(-1),) * 2}.get(x, x) if name == "sign" else x
        return (Q((x[0] > 0) - (x[0] < 0)),) * 2 if name == "sign" else signed_zero(Q(ROUNDINGS[name](x[0])), x[0])
    return rounded([of(x) for x in element(o[0], index, p)], r.format, p, True, False)

COMPARISONS = {"EQ": lambda x, y: x == y, "NE": lambda x, y: x != y, "LT": lambda x, y: x < y, "LE": lambda x, y: x <= y,
               "GT": lambda x, y: x > y, "GE": lambda x, y: x >= y}

def compare(op, a, o, r, number, index, part, p, note):
    """Nothing compares with NaN, which is unequal to all; zeros are equal."""
    if o[0].parts == 2 or a.get("compare_type") == "TOTALORDER": raise NotDecided("such comparisons")
    def key(x): return {"+inf": (1, 0), "-inf": (-1, 0)}.get(x, (0, 0)) if isinstance(x, str) else (0, x[0])
    def of(x, y): return a["comparison_direction"] == "NE" if "nan" in (x, y) else COMPARISONS[a["comparison_direction"]](key(x), key(y))
    return [(int(b),) * 2 for b in combined(of, *(element(t, index, p) for t in o))]

def choose(op, a, o, r, number, index, part, p, note):
    """select takes one as it is; clamp is minimum(maximum(x, least), most)."""
    if op == "stablehlo.select": return element(o[1] if element(o[0], index, p)[0][0] else o[2], index, p, part)
    least, x, most = (element(t, index, p) for t in o)
    if r.parts == 2: raise NotDecided("complex numbers")
    if r.format is None: return [(min(max(x[0][0], least[0][0]), most[0][0]),) * 2]
    return extreme([extreme([x, least], True, p), most], False, p)

def pad(op, a, o, r, number, index, part, p, note):
    low, inside = ([int(n) for n in a[k].strip("[]").split(",") if n] for k in ("edge_padding_low", "interior_padding"))
    at = [(k - n, m + 1) for k, n, m in zip(r.place(index), low, inside)]
    is_padding = any(k < 0 or k % step or k // step >= size for (k, step), size in zip(at, o[0].shape))
    return element(o[1], 0, p, part) if is_padding else element(o[0], o[0].index([k // step for k, step in at]), p, part)

def quantized_subtract(op, a, o, r, number, index, part, p, note):
    """As quantized sums are, in check_other_ops.py: the second operand with the other sign."""
    if not all(t.quantum for t in o): raise NotDecided("mixed operands")
    s, f = [o[0].at(index, p), [mirror(v) for v in o[1].at(index, p)]], r.expressed
    (m, *left), (n, *right) = (term_of(t, index) for t in o)
    terms = [(m, *left), (-n, *right)]
    return quantized(rounded(add_up(s, f, p, note), f, p), r, index, p) + rescaled(terms, r, index, p)

NAMES = {f"stablehlo.{op}": name for op, name in (("exponential", "exp"), ("exponential_minus_one", "expm1"), ("log", "log"),
         ("log_plus_one", "log1p"), ("tanh", "tanh"), ("rsqrt", "rsqrt"), ("sine", "sin"), ("cosine", "cos"))}
OPS.update({**dict.fromkeys(NAMES, function), "stablehlo.sqrt": sqrt, "stablehlo.logistic": logistic, "stablehlo.compare": compare,
            **dict.fromkeys(("stablehlo.divide", "stablehlo.remainder"), quotients), "stablehlo.select": choose, "stablehlo.clamp": choose,
            **dict.fromkeys([f"stablehlo.{name}" for name in (*ROUNDINGS, "sign", "abs")], unary), "stablehlo.pad": pad,
            "quantized stablehlo.subtract": quantized_subtract})
