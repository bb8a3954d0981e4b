# SPDX-License-Identifier: Apache-2.0
"""What check_evidence.py, which imports this if it stands beside it, knows of norms: layer_norm, l2_norm, batch_norm_training
and batch_norm_grad.  As there: plain Python, nothing of Assay's.  Each function returns an interval that holds all that the
contract permits at one place of a result, by bounds that are simple rather than sharp: each step errs by a relative error of at
most u, and by eta where it underflows."""
import math
from fractions import Fraction as Q
from check_evidence import OPS, NotDecided, mirror, numbers, parts_of, rounded
from check_formulas import root
from check_other_ops import ROOT_HALF, ROOT_TWO_OVER_PI, erf, exp, gelu, outwards, quantized, ways

def number_at(tensor, index, p):
    """The finite number there, which nobody may flush."""
    parts = tensor.at(index, p)
    if len(parts) != 1 or parts[0] in ("nan", "+inf", "-inf"): raise NotDecided("norms of infinities, or of numbers that may be flushed")
    return Q(0) if isinstance(parts[0], str) else parts[0][0]

class Arithmetic:
    """What one step in a format errs by."""
    def __init__(self, g, ulps, p):
        if p["accum_rounding"] != "rn": raise NotDecided("sums that may be truncated (accum_rounding)")
        self.g, self.eta = g, g.eta if p["ftz"] == "none" else g.normal
        self.u = g.u + g.w + g.u * g.w  # Rounded by a wider node, and then to g.
        self.ulps = 1 if ulps == "faithful" else int(ulps)  # Of inverse roots.
    def after(self, steps):
        """The relative error of so many steps: at most (1 + u)^k - 1 and 1 - (1 - u)^k."""
        if steps * self.u > Q(1, 4): raise NotDecided("more steps than the bounds are good for")
        return steps * self.u / (1 - steps * self.u)
    def holds(self, size):
        """No step overflows that makes numbers of that size."""
        if 4 * size > self.g.largest: raise NotDecided("numbers that may overflow")

def is_exact_pair(x, g):
    """Whether sum, difference, half of it and mean of two numbers are numbers of the format: multiples of half their last bit."""
    unit = min(Q(v.numerator & -v.numerator, v.denominator) for v in x if v) if any(x) else Q(0)
    return unit / 2 >= g.eta and sum(map(abs, x)) <= unit * 2 ** g.p

def moments(x, a):
    """Ways to find mean and variance: how far off the mean may be, and the ends of the variance."""
    n, largest, spread = len(x), max(map(abs, x)), max(x) - min(x)
    mean = sum(x) / n
    exact = sum((v - mean) ** 2 for v in x) / n
    a.holds(2 * n * (1 + largest))
    # Two passes, in any order (T11 to T15, T63); the mean of one number is that number.
    is_exact = n == 1 or n == 2 and is_exact_pair(x, a.g)
    error = 0 if is_exact else a.after(n + 2) * sum(map(abs, x)) / n + 2 * a.eta * n
    relative, lost = a.after(n + 6), 2 * n * a.eta
    found = [(error, exact * (1 - relative) - lost, (exact + error ** 2) * (1 + relative) + lost)]
    # Merged from parts (T75, T76): a mean lies between those that it is made of but for five roundings, in no more than n nodes;
    # each node adds the square of a difference of means times less than the size of the smaller part, and these sizes sum to no
    # more than n log2 n.  A square that is d^2 exactly is (d + e)^2, |e| less than twice the error of a mean; Welford's is d times
    # another difference, whose weights are at most twice as large.
    error = 0 if is_exact else n * (a.after(6) * (spread + largest / 2) + a.u * largest * Q(5, 4) + 4 * a.eta)
    if 4 * error > largest and largest: raise NotDecided("means that are not certain")
    a.holds(2 * n * (1 + spread + 2 * error) ** 2)  # What is squared are deviations.
    weights = n * max(1, math.ceil(math.log2(n)))
    off = (8 * error * root(exact * n * weights)[1] + 8 * error ** 2 * weights) / n
    relative, lost = a.after(n + 12), 4 * n * a.eta
    found.append((error, (exact - off) * (1 - relative) - lost, (exact + off) * (1 + relative) + lost))
    return mean, exact, found

def epsilons(attributes, f, p):
    value = Q(float.fromhex(attributes["epsilon"]))
    if value < 0: raise NotDecided("an epsilon below 0")
    if p["ftz"] != "none" and 0 < value < f.normal: raise NotDecided("an epsilon that may be taken for 0 (ftz)")
    return sorted((value, f.nearest(value)))

def divisor(low, high, epsilon, is_outside, a, combine):
    """Ends of what is divided by: the root of the square and epsilon, or the root and epsilon, that are added or the larger of."""
    low = max(low, Q(0))
    if is_outside: low, high = combine(root(low)[0] * (1 - a.u) - a.eta, epsilon[0]), combine(root(high)[1] * (1 + a.u) + a.eta, epsilon[1])
    else: low, high = (root(combine(v, e))[k] for k, (v, e) in enumerate(zip((low, high), epsilon)))
    a.holds(high ** 2)
    error = a.after(3)  # The addition, the root; and its underflow, which is that of its square.
    low, high = low * (1 - error) - a.eta, high * (1 + error) + a.eta
    if low <= 0: raise NotDecided("what may be divided by 0")
    return low, high

def products(lows, highs): return min(x * y for x in lows for y in highs), max(x * y for x in lows for y in highs)

def normalized(deviation, bounds, scale, offset, a, f, p):
    """deviation / s * scale + offset by any factors: as many roundings as the longest way has, an inverse root among them."""
    low, high = products(deviation, [1 / e for e in reversed(bounds)])
    low, high = products((low, high), (scale, scale))
    size = max(abs(low), abs(high))
    a.holds(max(size, abs(offset), 1 / bounds[0], abs(scale) / bounds[0], *map(abs, deviation)) + abs(offset))
    error = a.after(8 + 2 * a.ulps) * size + a.eta * 4 * (1 + abs(scale)) * (1 + 1 / bounds[0]) * (1 + max(map(abs, deviation)))
    if p["normalized"] != "kept" and f.bits == 16: error += 4 * f.u / (1 - 4 * f.u) * (size + abs(offset)) + 4 * f.eta * (1 + abs(scale))
    error += a.after(2) * (size + abs(offset))
    return low + offset - error, high + offset + error

def over_rows(x_type, f, p, of_row):
    """The hull of what a function finds in each format that may be computed in."""
    pairs = [pair for g, ulps in ways("rsqrt", f, p) for pair in of_row(Arithmetic(g, ulps, p))]
    return rounded(parts_of(min(e[0] for e in pairs), max(e[1] for e in pairs), ("+0", "-0")), x_type, p, True)

def batch_or_layer(x, at, scale, offset, epsilon, is_outside, what, o, r, p, note):
    """`what` of a row whose number at a place is asked about: the output, the mean, the variance or the inverse deviation."""
    if len(x) == 1 and epsilon == [0, 0] and what == "output": return ["nan"]  # 0 / 0, or 0 times the inverse root of 0.
    if p["norm_epsilon"] != "defined" or p["norm_variance"] != "population": raise NotDecided("another reading of the norm")
    def of_row(a):
        mean, exact, found = moments(x, a)
        note("T63, T75, T76", mean, exact, max(e[0] for e in found))
        for error, low, high in found:
            if what == "mean": yield mean - error, mean + error; continue
            if what == "variance": yield max(low, Q(0)), high; continue
            bounds = divisor(low, high, epsilon, is_outside, a, lambda v, e: v + e)
            deviation = (x[at] - mean - error, x[at] - mean + error)
            if what == "output": yield normalized(deviation, bounds, scale, offset, a, r.format, p)
            else: yield normalized((Q(1), Q(1)), bounds, Q(1), Q(0), a, r.format, p)
    return over_rows(r.format, o[0].format, p, of_row)

def of_floats(o, r):
    if any(t.format is None or t.parts == 2 or t.quantum for t in [*o, r]): raise NotDecided("norms of such types")
    if not all(t.codes for t in o): raise NotDecided("rows without numbers")

def axes_of(attributes, rank): return [int(d) % rank for d in attributes["axis"].strip("[]").split(",") if d]

def row_of(t, place, axes):
    """Indices of the elements that differ from a place only along some axes, in order."""
    return [i for i in range(math.prod(t.shape)) if all(k == m or d in axes for d, (k, m) in enumerate(zip(t.place(i), place)))]

def layer_norm(op, a, o, r, number, index, part, p, note):
    of_floats(o, r)
    if p["layer_norm"] not in ("two-pass", "welford"): raise NotDecided("formulas that cancel (layer_norm)")
    axes = axes_of(a, len(o[0].shape))
    place = o[0].place(index) if number == 0 else r.place(index)
    row = row_of(o[0], place, axes)
    at = row.index(index) if number == 0 else 0
    x = [number_at(o[0], i, p) for i in row]
    return batch_or_layer(x, at, number_at(o[1], at, p), number_at(o[2], at, p), epsilons(a, o[0].format, p),
                          a.get("eps_outside_sqrt") == "true", ("output", "mean", "inverse")[number], o, r, p, note)

def batch_norm_training(op, a, o, r, number, index, part, p, note):
    of_floats(o, r)
    if p["batch_norm"] not in ("decomposed", "two-pass", "welford"): raise NotDecided("formulas that cancel (batch_norm)")
    axis = int(a["feature_index"])
    channel = o[0].place(index)[axis] if number == 0 else index
    row = [i for i in range(math.prod(o[0].shape)) if o[0].place(i)[axis] == channel]
    x = [number_at(o[0], i, p) for i in row]
    return batch_or_layer(x, row.index(index) if number == 0 else 0, number_at(o[1], channel, p), number_at(o[2], channel, p),
                          epsilons(a, o[0].format, p), False, ("output", "mean", "variance")[number], o, r, p, note)

def mean_of_one(op, a, o, r, number, index, part, p, note):
    """Of batch_norm_training on quantized numbers: the mean of one number is that number."""
    if number != 1 or len(o[0].codes) != o[0].shape[int(a["feature_index"])] or not r.quantum: raise NotDecided("norms of quantized numbers")
    return quantized(o[0].at(index, p), r, index, p)

def batch_norm_grad(op, a, o, r, number, index, part, p, note):
    """With c = x - mean, v = variance + epsilon, s = sqrt(v): scale / (s N) (N dy - sum dy - c sum(dy c) / v), sum(dy c) / s and sum dy, in
    any order of steps: each of the terms has less than n + 24 roundings and six inverse roots."""
    of_floats(o, r)
    if p["norm_epsilon"] != "defined" or p["normalized"] != "kept": raise NotDecided("another reading of the norm")
    axis = int(a["feature_index"])
    channel = o[0].place(index)[axis] if number == 0 else index
    row = [i for i in range(math.prod(o[0].shape)) if o[0].place(i)[axis] == channel]
    scale, mean, variance = (number_at(t, channel, p) for t in o[1:4])
    dy, c, n = [number_at(o[4], i, p) for i in row], [number_at(o[0], i, p) - mean for i in row], len(row)
    terms, v = [g * d for g, d in zip(dy, c)], [variance + e for e in epsilons(a, o[0].format, p)]
    if v == [0, 0] and number == 1 and min(map(abs, terms)) > 2 * o[0].format.normal and len({t > 0 for t in terms}) == 1: return ["+inf" if terms[0] > 0 else "-inf"]
    if v[0] <= 0 and number != 2: raise NotDecided("what may be divided by 0")
    def of_row(arithmetic):
        inverse = [Q(0), Q(0)] if number == 2 else [1 / root(v[1])[1], 1 / root(v[0])[0]]
        size = 8 * n * (1 + abs(scale)) * (1 + inverse[1]) ** 3 * (1 + max(map(abs, c))) ** 2 * (1 + sum(map(abs, dy)))
        arithmetic.holds(size)  # No step makes more, nor what is lost below the smallest number more times than that.
        if number == 2: ends = [(sum(dy),) * 2]
        elif number == 1: ends = [products((sum(terms),) * 2, inverse)]
        else:
            i, factor = row.index(index), scale / n
            parts = [n * dy[i] - sum(dy), -c[i] * sum(terms)]
            ends = [products((factor * e,) * 2, [d ** k for d in inverse]) for e, k in zip(parts, (1, 3))]
        sizes = {2: sum(map(abs, dy)), 1: sum(map(abs, terms)) * inverse[1]}
        if number == 0: sizes[0] = abs(factor) * inverse[1] * (n * abs(dy[i]) + sum(map(abs, dy)) + abs(c[i]) * sum(map(abs, terms)) * inverse[1] ** 2)
        error = arithmetic.after(n + 24 + 12 * arithmetic.ulps) * sizes[number] + size * arithmetic.eta
        low, high = (sum(e[k] for e in ends) for k in (0, 1))
        note("T12, T15", low, high, error)
        yield low - error, high + error
    return over_rows(r.format, o[0].format, p, of_row)

def l2_norm(op, a, o, r, number, index, part, p, note):
    """x / sqrt(max(sum x^2, epsilon)), or the root is compared with it: T11 to T15 for the sum."""
    of_floats(o, r)
    if p["norm_epsilon"] != "defined": raise NotDecided("another reading of the norm")
    row = row_of(o[0], o[0].place(index), axes_of(a, len(o[0].shape)))
    x = [number_at(o[0], i, p) for i in row]
    at = x[row.index(index)]
    def of_row(arithmetic):
        total, n = sum(v * v for v in x), len(x)
        arithmetic.holds(2 * total)
        error = arithmetic.after(n + 1) * total + 2 * n * arithmetic.eta
        note("T11, T15", total, total, error)
        bounds = divisor(total - error, total + error, epsilons(a, o[0].format, p), a.get("eps_outside_sqrt") == "true", arithmetic, max)
        yield normalized((at, at), bounds, Q(1), Q(0), arithmetic, r.format, p)
    return over_rows(r.format, o[0].format, p, of_row)

def gelu_by_ends(op, a, o, r, number, index, part, p, note):
    """gelu as check_other_ops.py bounds it (T72), cut to what its formulas give for the ends of their argument (T60, T61): erfc and the
    exponential err by a share of themselves, erf and tanh, which are below 1, by so many halves of the last place of 1."""
    found, s, f = gelu(op, a, o, r, number, index, part, p, note), o[0].at(index, p), r.format
    if p["ftz"] != "none" or isinstance(s[0], str): return found
    x, size, ends = s[0][0], abs(s[0][0]), []
    small, large = ("exp", "tanh") if a["approximate"] == "tanh" else ("erfc", "erf")
    for (g, k), (_, m) in zip(ways(small, f, p), ways(large, f, p)):
        k, m = (1 if e == "faithful" else int(e) for e in (k, m))
        u = g.u + g.w + g.u * g.w
        moved = [x * (1 + sign * 10 * u) for sign in (-1, 1)]  # x / sqrt 2 has fewer roundings than z, which has less than ten.
        if small == "exp": shares = [1 / (1 + e) for v in moved for c in ROOT_TWO_OVER_PI for e in exp(-2 * c * (v + Q(44715, 10 ** 6) * v * x * x))]
        else: shares = [(1 + e) / 2 for v in moved for half in ROOT_HALF for e in erf(v * half)]
        sums, share = m * g.u / 2 if p["gelu"] == "sum" else Q(0), 2 * k * g.u + 6 * u
        if share > Q(1, 8): return found
        low, high = min(shares), max(shares)
        low, high = min(low * (1 - share), (low - sums) * (1 - 6 * u)), max(high * (1 + share), (high + sums) * (1 + 6 * u))
        loss = 16 * g.eta * (1 + size) * (1 + k)
        ends += [max(size * low - loss, Q(0)), size * high + loss]
    cut = rounded(parts_of(*outwards(min(ends), max(ends))), f, p, True)
    low, high = (end(e for v in numbers(cut) for e in (v if x > 0 else mirror(v))) for end in (min, max))
    return [v for v in found if isinstance(v, str)] + [(max(v[0], low), min(v[1], high)) for v in numbers(found) if v[0] <= high and v[1] >= low]

OPS.update({"byteir.gelu": gelu_by_ends, "byteir.layer_norm": layer_norm, "byteir.l2_norm": l2_norm, "stablehlo.batch_norm_training": batch_norm_training,
            "stablehlo.batch_norm_grad": batch_norm_grad, "quantized stablehlo.batch_norm_training": mean_of_one})
