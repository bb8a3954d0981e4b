# SPDX-License-Identifier: Apache-2.0
"""What check_evidence.py, which imports this if it stands beside it, knows of linear resizing, of select_and_scatter, of partitions
and quantized values that are reduced, of parts of complex numbers that are compared, of indices: arg_max, arg_min, top_k, and of places: non_zero,
slices and gathers, conversions to bare exponents, and the gradient of a negative log likelihood.  As there: plain Python, nothing of Assay's."""
import itertools, json, math
from fractions import Fraction as Q
from check_evidence import OPS, Format, NotDecided, add_up, folded, is_point, parts_of, reduction, rounded
from check_formulas import element
from check_other_ops import elementwise, row_of

ANY_ZERO = ("+0", "-0")

# ---- Linear resizing ----------------------------------------------------------------------------------------------------
def coordinates(position, length, resized, transformation):
    """The ends of what implementations compute, in f32 or f64, in the ways that oracles/ops/byteir_resize/coordinate.h lists, and
    the exact coordinate: from 0 to length - 1."""
    is_half, is_aligned = "half_pixel" in transformation, transformation == "align_corners"
    if resized == 1 and transformation in ("pytorch_half_pixel", "align_corners"): return Q(0), Q(0)
    n, m, x = Q(length - is_aligned), Q(resized - is_aligned), position + (Q(1, 2) if is_half else 0)
    half, found = Q(1, 2) if is_half else Q(0), [x * n / m - (Q(1, 2) if is_half else 0)]
    for f, last in ((Format("f32"), Format("f32")), (Format("f64"), Format("f64")), (Format("f64"), Format("f32"))):
        def rn(v): return f.nearest(v)
        products = [x * rn(n / m), rn(x * n) / m]
        if not is_aligned: products += [x / rn(m / n), x * rn(1 / rn(m / n))]
        for fused in (False, True):
            found += [last.nearest(rn((v if fused else rn(v)) - half)) for v in products]
    return tuple(min(max(c, Q(0)), Q(length - 1)) for c in (min(found), max(found)))

def interpolated(values, spans, f, p):
    """All that formulas give for weights of these coordinates (T74, T102), values[...] being the numbers of the cells that are met.
    A dimension takes t, 1 - t, two products and a sum, or a difference, a product and a sum of at most twice the size; normalized
    weights err by four roundings more, quotients by one each: less than 32 for a dimension, and 2 for each product that is added."""
    u, eta = f.u + f.w + f.u * f.w, f.eta if p["ftz"] == "none" else f.normal
    k, most = len(spans), max(abs(v) for v in values.values())
    steps = 32 * k + 2 ** (k + 1)
    if steps * u > Q(1, 8) or 8 * most > f.largest: raise NotDecided("interpolation in so few bits")
    ends = []
    for at in itertools.product(*[sorted({low, high, *map(Q, range(math.ceil(low), math.floor(high) + 1))}) for low, high in spans]):
        total = Q(0)  # Between whole coordinates it is affine in each of them.
        for corner in itertools.product((0, 1), repeat=k):
            weight = math.prod((c - math.floor(c) if upper else 1 - (c - math.floor(c)) for c, upper in zip(at, corner)), start=Q(1))
            if weight: total += weight * values[tuple(math.floor(c) + upper for c, upper in zip(at, corner))]
        ends.append(total)
    bound = Q(9, 8) * steps * u * most + 4 * steps * eta * (1 + most)
    return min(ends), max(ends), bound

def resize(op, a, o, r, number, index, part, p, note):
    if a["mode"] != "linear" or a["target_mode"] != "size" or r.parts == 2: raise NotDecided("resizing by scales, or to the nearest")
    x, place = o[0], r.place(index)
    if x.shape == r.shape: return element(x, index, p)  # A copy.
    if p["resize_zero_weight"] == "everywhere": raise NotDecided("infinities all along a dimension (resize_zero_weight)")
    spans = [coordinates(k, n, m, a["coordinate_transformation_mode"]) if n != m else (Q(k), Q(k)) for k, n, m in zip(place, x.shape, r.shape)]
    # Beside the cells that are met an element of weight 0 may enter; the last one is its own neighbour.
    values = {}
    for at in itertools.product(*(range(math.floor(low), math.floor(high) + 2) for low, high in spans)):
        i = x.index([min(k, n - 1) for k, n in zip(at, x.shape)])
        s = x.at(i, p) if x.format else parts_of(*(Q(x.integer(i)),) * 2)
        if not is_point(s) or s[0] in ("nan", "+inf", "-inf"): raise NotDecided("infinities in a cell")
        values[at] = Q(0) if isinstance(s[0], str) else s[0][0]
    kinds = [Format("f32"), Format("f64")] if not x.format else \
        [Format("f32")] * (x.bits == 16 and p["intermediate"] != "native") + [x.format] * (x.bits != 16 or p["intermediate"] != "wide")
    found = [interpolated(values, spans, f, p) for f in kinds]
    low, high = min(e[0] - e[2] for e in found), max(e[1] + e[2] for e in found)
    note("T74, T102", found[0][0], found[0][1], max(e[2] for e in found))
    if x.format: return rounded(parts_of(low, high, ANY_ZERO), r.format, p, True)
    # T185: the numbers and the sums with 1/2 may round to f32, and then to any integer beside.
    more = max(abs(low), abs(high)) * Q(2) ** -22 + 1
    return [tuple(sorted((r.low, e, r.high))[1] for e in (math.floor(low - more), math.ceil(high + more)))]

# ---- Windows that select --------------------------------------------------------------------------------------------------
SELECTS = {"ge": lambda v, w: v >= w, "gt": lambda v, w: v > w, "le": lambda v, w: v <= w, "lt": lambda v, w: v < w}

def order_of(t, i, p):
    """What is compared: a number, of which both zeros are one."""
    return t.integer(i) if t.format is None else number_of(t.at(i, p))

def number_of(s):
    if not is_point(s) or s[0] in ("nan", "+inf", "-inf"): raise NotDecided("a choice among such numbers")
    return 0 if isinstance(s[0], str) else s[0][0]

def select_and_scatter(op, a, o, r, number, index, part, p, note):
    """Each window selects the element that a fold keeps: without NaN any tree in order selects that one."""
    x, source, start = o
    if p["selection"] != "in-order" or any(t.quantum or t.parts == 2 for t in (*o, r)): raise NotDecided("selections of other kinds")
    if a["scatter"] != "add" or r.format is None or start.codes[0] or "accumulation" in a or source.bits != r.bits:
        raise NotDecided("what is scattered otherwise")
    size, stride, pads = (json.loads(a[k]) for k in ("window_dimensions", "window_strides", "padding"))
    keeps, leaves = SELECTS[a["select"]], []
    for i in range(math.prod(source.shape)):
        best = None
        for k in itertools.product(*map(range, size)):
            at = [w * s + d - pad[0] for w, s, d, pad in zip(source.place(i), stride, k, pads)]
            if not all(0 <= c < n for c, n in zip(at, x.shape)): continue
            here = x.index(at)
            if best is None or not keeps(order_of(x, best, p), order_of(x, here, p)): best = here
        if best is None: raise NotDecided("windows of padding alone")
        if best == index: leaves.append(source.at(i, p))
    if not leaves: return ["+0"]
    return rounded(add_up(leaves + [["+0"]], r.format, p, note), r.format, p, True)

# ---- Reductions of other kinds -------------------------------------------------------------------------------------------
def grouped(op, a, o, r, number, index, part, p, note):
    """Processes that are no replicas: (replica r, partition p) is r * partitions + p; groups of replicas, of all partitions, or of processes."""
    count = int(a.get("num_partitions", 0)) or 1
    groups, channel = json.loads(a["replica_groups"]), int(a.get("channel_id", 0))
    if a.get("use_global_device_ids") != "true":
        if channel > 0: groups = [[r * count + k for k in range(count) for r in group] for group in groups]
        else: groups = [[r * count + k for r in group] for group in groups for k in range(count)]
    plain = {k: v for k, v in a.items() if k not in ("channel_id", "num_partitions", "use_global_device_ids")}
    return reduction(op, {**plain, "replica_groups": json.dumps(groups)}, o, r, number, index, part, p, note)

def quantized_reduction(op, a, o, r, number, index, part, p, note):
    """Sums of one quantized type whose partial sums all are values of it: no step of any order rounds or clamps (T43, T163)."""
    x, start = o[number], o[len(o) // 2 + number] if op == "stablehlo.reduce" else None
    letter = p["quantize"], p["quantize_ties"], p["dequantize"]
    if a["body"] != "add" or "accumulation" in a or letter != ("divide", "even", "subtract") or p["rescale"] not in ("exact", "float"):
        raise NotDecided("quantized reductions of this kind")
    tensors = [x, r] + [start] * bool(start)
    if any(not t.quantum or (t.bits, t.is_signed, t.quantum[2], t.quantum[3]) != (x.bits, x.is_signed, x.quantum[2], x.quantum[3]) or
           t.scales != x.scales or len(t.scales) > 1 or t.expressed.name != "f32" for t in tensors): raise NotDecided("several quantized types")
    scale, zero = x.scales[0]
    if start and start.integer(0) != zero or not Q(2) ** -60 < scale < Q(2) ** 60: raise NotDecided("initial values that change a sum, or such scales")
    values = [x.integer(i) - zero for i in folded(op, a, x, r, r.place(index))]
    if any(not x.low <= v + zero <= x.high for v in values): raise NotDecided("values that the type has not")
    above, below = (sum(max(s * v, 0) for v in values) for s in (1, -1))
    if zero + above > r.high or zero - below < r.low or above + below + abs(zero) > 2 ** 12: raise NotDecided("partial sums beyond the type")
    return [(sum(values) + zero,) * 2]

# ---- Indices --------------------------------------------------------------------------------------------------------------
def key_of(s):
    """The order of numbers, NaN the greatest; zeros are equal."""
    value = s[0]
    return {"nan": (2, 0), "+inf": (1, 0), "-inf": (-1, 0)}.get(value, (0, 0)) if isinstance(value, str) else (0, value[0])

def arg_extreme(op, a, o, r, number, index, part, p, note):
    if number + 1 < p["results"]: raise NotDecided("values of arg_max")
    place, axis = r.place(index), int(a["axis"]) % len(o[0].shape)
    if a["keep_dims"] == "true": del place[axis]
    x, sign = o[0], 1 if op.endswith("max") else -1
    row = [x.at(i, p) if x.format else parts_of(Q(x.integer(i)), Q(x.integer(i))) for i in row_of(x, r, index, axis, place)]
    if not all(map(is_point, row)): raise NotDecided("numbers that may be flushed")
    nans = [i for i, s in enumerate(row) if s == ["nan"]]
    if nans and p["arg_nan"] != "first": raise NotDecided("rows with NaN (arg_nan)")
    keys = [tuple(sign * e for e in key_of(s)) for s in row]
    best = nans or [i for i, key in enumerate(keys) if key == max(keys)]
    if len({tuple(row[i]) for i in best}) > 1: raise NotDecided("zeros of both signs")
    return [(best[-1 if a["select_last_index"] == "true" else 0],) * 2]

def top_k(op, a, o, r, number, index, part, p, note):
    if (p["top_k_nan"], p["top_k_zeros"], p["top_k_ties"]) != ("greatest", "equal", "stable"):
        raise NotDecided("what a top_k may order otherwise")
    x, place, axis = o[0], r.place(index), int(a["axis"].strip("[]")) % len(o[0].shape)
    k = place.pop(axis)
    row = [x.at(i, p) if x.format else parts_of(Q(x.integer(i)), Q(x.integer(i))) for i in row_of(x, r, index, axis, place)]
    if not all(map(is_point, row)): raise NotDecided("numbers that may be flushed")
    order = sorted(range(len(row)), key=lambda i: tuple(-e for e in key_of(row[i])) + (i,))
    if a["sorted"] == "true": chosen = [order[k]]
    else: chosen = [i for i in range(len(row)) if key_of(row[i]) >= key_of(row[order[r.shape[axis] - 1]])]  # In any order.
    if number == 1: return [(i,) * 2 for i in chosen]
    return [row[i][0] if x.format else (x.integer(row_of(x, r, index, axis, place)[i]),) * 2 for i in chosen]

# ---- Places ---------------------------------------------------------------------------------------------------------------
def non_zero(op, a, o, r, number, index, part, p, note):
    x, (row, column) = o[0], r.place(index)
    def is_zero(i):
        if x.format is None: return x.integer(i) == 0
        kinds = {part in ANY_ZERO for k in range(x.parts) for part in x.at(i, p, k)} if x.parts == 1 else {None}
        if len(kinds) > 1 or None in kinds: raise NotDecided("numbers that may be flushed, or complex ones")
        return kinds == {True}
    found = [i for i in range(math.prod(x.shape)) if not is_zero(i)]
    if row >= len(found): raise NotDecided("rows beyond the last place")
    return [(x.place(found[row])[column],) * 2]

def dynamic_slice(op, a, o, r, number, index, part, p, note):
    """The start is moved inwards, so that the slice lies in the operand."""
    x = o[0]
    start = [sorted((0, t.integer(0), n - m))[1] for t, n, m in zip(o[1:], x.shape, r.shape)]
    return element(x, x.index([s + k for s, k in zip(start, r.place(index))]), p, part) if r.shape else element(x, 0, p, part)

def update_slice(op, a, o, r, number, index, part, p, note):
    """dynamic_update_slice: likewise, for the update."""
    x, update, *starts = o
    start = [sorted((0, t.integer(0), n - m))[1] for t, n, m in zip(starts, x.shape, update.shape)]
    at = [k - s for s, k in zip(start, r.place(index))]
    inside = all(0 <= k < m for k, m in zip(at, update.shape))
    return element(update, update.index(at), p, part) if inside else element(x, index, p, part)

def gather(op, a, o, r, number, index, part, p, note):
    """Where the slice of a start index begins, moved inwards; then along it, and along what is a batch of both."""
    x, starts = o
    axis, sizes, place = int(a["index_vector_dim"]), json.loads(a["slice_sizes"]), r.place(index)
    offsets, collapsed, batching, of_starts, start_map = (json.loads(a[k]) for k in (
        "offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims", "start_index_map"))
    batch, rest = [k for d, k in enumerate(place) if d not in offsets], iter([place[d] for d in offsets])
    where = [0 if d in (*collapsed, *batching) else next(rest) for d in range(len(x.shape))]
    for k, d in enumerate(start_map):
        at = [*batch[:axis], k, *batch[axis:]] if axis < len(starts.shape) else batch
        where[d] += sorted((0, starts.integer(starts.index(at)), x.shape[d] - sizes[d]))[1]
    for d, e in zip(batching, of_starts): where[d] += batch[e - (e > axis)]
    return element(x, x.index(where), p, part)

def to_exponents(op, a, o, r, number, index, part, p, note):
    """A number above 0 to f8E8M0FNU, the nearest power of two unless it is in the middle, or from it."""
    s = o[0].at(index, p) if o[0].format else [(o[0].integer(index),) * 2]
    if r.format is None or r.parts == 2 or p["convert_rounding"] != "rn": raise NotDecided("such conversions")
    if not is_point(s) or isinstance(s[0], str) or s[0][0] <= 0: raise NotDecided("what has no exponent")
    value = Q(s[0][0])
    if r.format.p > 1: return rounded(s, r.format, p, True, False)
    unit = max(Q(2) ** (value.numerator.bit_length() - value.denominator.bit_length() - 1), r.format.eta)
    while 2 * unit <= value: unit *= 2
    if value == unit * Q(3, 2) or not unit * Q(3, 4) < value < r.format.largest: raise NotDecided("ties, or numbers beyond the type")
    return [(unit * (1 + (value > unit * Q(3, 2))),) * 2]

def nll_loss_backward(op, a, o, r, number, index, part, p, note):
    """+0 but at the targets."""
    place, target = r.place(index), o[2]
    wanted = target.integer(0 if len(place) == 1 else place[0])
    if not (0 <= wanted < r.shape[-1] or wanted == int(a["ignore_index"])): raise NotDecided("a target that is no class")
    if wanted == place[-1] and wanted != int(a["ignore_index"]): raise NotDecided("a gradient that is no zero")
    return ["+0"]

def by_parts(op, a, o, r, number, index, part, p, note):
    """maximum and minimum of complex numbers: the first parts decide, or else the second."""
    if r.parts == 1 or op.partition(".")[2] not in ("maximum", "minimum"): return elementwise(op, a, o, r, number, index, part, p, note)
    pairs = [[t.at(index, p, k) for k in (0, 1)] for t in o]
    keys = [tuple(map(number_of, pair)) for pair in pairs]
    if keys[0] == keys[1] and pairs[0] != pairs[1] or keys[0][0] == keys[1][0] and pairs[0][0] != pairs[1][0]: raise NotDecided("zeros of both signs")
    return pairs[keys.index((max if op.endswith("maximum") else min)(keys))][part]

OPS.update({"byteir.resize": resize, "stablehlo.select_and_scatter": select_and_scatter, "byteir.non_zero": non_zero,
            "stablehlo.dynamic_slice": dynamic_slice, "stablehlo.dynamic_update_slice": update_slice, "stablehlo.gather": gather,
            "byteir.arg_max": arg_extreme, "byteir.arg_min": arg_extreme, "byteir.top_k": top_k, "bare stablehlo.convert": to_exponents,
            "byteir.nll_loss_backward": nll_loss_backward,
            **dict.fromkeys(("stablehlo.maximum", "stablehlo.minimum"), by_parts),
            **dict.fromkeys(("stablehlo.all_reduce", "stablehlo.reduce_scatter"), grouped),
            **dict.fromkeys(("quantized stablehlo.reduce", "quantized stablehlo.all_reduce"), quantized_reduction)})
