# SPDX-License-Identifier: Apache-2.0
"""Tests of reports/check_evidence.py for evidence.t, as lines "ok DESCRIPTION" and "not ok DESCRIPTION".

    evidence.py SCRIPTS conforming CASES...          no conforming result of these files is proven wrong
    evidence.py SCRIPTS returned CONTRACT RESULTS    nor one that a model returned: lines of `assay subject`
    evidence.py SCRIPTS near RESULTS                 lines of single elements for `assay judge`, of results of elementwise ops and near them
    evidence.py SCRIPTS beside RESULTS               such lines with single elements changed, of results of any op
    evidence.py SCRIPTS judged CONTRACT LINES VERDICTS    nor one that Assay accepts: such lines and what `assay judge` says of each
    evidence.py SCRIPTS tampered BUNDLE...           no proven bundle stays proven when what it says is changed

SCRIPTS is the folder of the script; CONTRACT has all permissions, and so does the first line of `conforming`'s input."""
import copy
import json
import os
import re
import struct
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import check_evidence
import check_algorithms  # noqa: F401  It adds its ops.
import check_bodies  # noqa: F401
import check_formulas  # noqa: F401  So does this one, and so do the others.
import check_images  # noqa: F401
import check_norms  # noqa: F401
import check_other_ops  # noqa: F401
import check_steps  # noqa: F401

PLACES_MAX = 2  # Of each result.
NEAR_PLACES_MAX = 8
NEAR_STEPS = (0, 1, -1, 2, -3, 4, -5, 6, 9)  # Patterns beside what came: the ends of the sets of some ulps are among them.


def tell(passes, description, details=""):
    print(f"{'ok' if passes else 'not ok'} {description}")
    for line in details.splitlines()[:8]:
        print(f"# {line[:300]}")


def places(case, results):
    """(result, component, bits) of a case's results, evenly."""
    words = case.split(" : ")[0].rsplit(" -> ", 1)[1].split(" ")
    for number, (word, data) in enumerate(zip(words, results.split(" : "))):
        try:
            digits = -(-check_evidence.Tensor(word).bits // 4)
        except check_evidence.NotDecided:
            continue
        patterns = [data[i : i + digits] for i in range(0, len(data), digits)] if data != "-" else []
        for component in range(0, len(patterns), max(1, len(patterns) // PLACES_MAX)):
            yield number, component, patterns[component]


def count_proofs(contract, pairs):
    """How many places were asked about, how many are held by their set, and false proofs in words."""
    asked, held, wrong = 0, 0, []
    for case, results in pairs:
        for number, component, bits in places(case, results):
            claim = {"result": number, "component": component, "got": bits}
            witness = check_evidence.decide({"case": case, "contract": contract, "results": None, "claim": claim})
            asked += 1
            held += "holds the result" in witness.get("not decided", "")
            if "not decided" not in witness:
                wrong.append(f"{case}: result {number} [{component}] = {bits}: {witness}")
    return asked, held, wrong


def conforming(paths):
    for path in paths:
        case = None
        with open(path) as file:
            for line in file:
                line = line.rstrip("\n")
                if line[:2] in ("= ", "=?"):
                    yield case, line.partition(" ")[2]
                elif line and line[0] not in "#=":
                    case = line


def returned(path):
    with open(path) as file:
        for line in file:
            case, _, results = line.rstrip("\n").partition("\t")
            if re.match(r"([0-9a-f]+|-)( : |$)", results) and len(case) < 4000:
                yield case, results


def near(path):
    for case, results in returned(path):
        program, *data = case.split(" : ")
        words = program.split(" ")
        types = [i for i, word in enumerate(words) if re.fullmatch(r"\w+\[[\d,]*\]", word)]
        try:
            tensors = [check_evidence.Tensor(words[i], d) for i, d in zip(types, [*data, results])]
        except check_evidence.NotDecided:
            continue
        # A tensor of one element may stand for as many as the result has.
        count = len(tensors[-1].codes)
        if len(tensors) != len(data) + 1 or any(len(t.codes) not in (1, count) for t in tensors):
            continue
        for i in types:
            words[i] = words[i].partition("[")[0] + "[]"
        for place in range(0, count, max(1, count // NEAR_PLACES_MAX)):
            patterns = [f"{t.codes[place if len(t.codes) > 1 else 0]:0{-(-t.bits // 4)}x}" for t in tensors]
            for step in NEAR_STEPS:
                code = (int(patterns[-1], 16) + step) % 2 ** tensors[-1].bits
                print(f"{' : '.join([' '.join(words), *patterns[:-1]])}\t{code:0{len(patterns[-1])}x}")


def beside(path):
    """The results of each line with one element changed, at some places."""
    for case, results in returned(path):
        words = case.split(" : ")[0].rsplit(" -> ", 1)[1].split(" ")
        data = results.split(" : ")
        for number, component, bits in places(case, results):
            tensor = check_evidence.Tensor(words[number])
            for step in NEAR_STEPS:
                code = f"{(int(bits, 16) + step) % 2 ** tensor.bits:0{len(bits)}x}"
                at = component * len(bits)
                changed = data[number][:at] + code + data[number][at + len(bits) :]
                print(f"{case}\t{' : '.join([*data[:number], changed, *data[number + 1 :]])}")


def judged(lines, verdicts):
    with open(lines) as left, open(verdicts) as right:
        for line, answer in zip(left, right):
            if re.match("conforms|weak", answer):
                yield line.rstrip("\n").split("\t")


def verdict(bundle, is_signed_anew):
    if is_signed_anew:
        bundle["digest"] = check_evidence.digest(bundle)
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(bundle, file)
    try:
        return check_evidence.check(file.name, False)[0]
    except (ValueError, LookupError):
        return 2
    finally:
        os.unlink(file.name)


def other(text):
    """Another hex digit, or another number, at the end of a text."""
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def set_result(bundle):
    claim = bundle["claim"]
    claim["got"] = other(claim["got"])


def pattern_of(tensor, part):
    """The pattern of a number of a type, or of a word such as "+inf"."""
    if tensor.format is None:
        return int(part[0]) % 2**tensor.bits
    if tensor.bits > 16:
        kinds = {"f32": (">f", ">I"), "f64": (">d", ">Q")}[tensor.format.name]
        value = float(part if isinstance(part, str) else check_evidence.Q(part[0]))
        return struct.unpack(kinds[1], struct.pack(kinds[0], value))[0]
    for code in range(2**tensor.bits):
        value = tensor.format.read(code)
        if value == part or (not isinstance(value, str) and [str(e) for e in value] == part):
            return code
    raise LookupError


def set_permitted_result(bundle):
    """The claim and the results both say what is right, where the set is one number that a pattern of the type is."""
    case, claim = bundle["case"], bundle["claim"]
    tensor = check_evidence.Tensor(case.split(" : ")[0].rsplit(" -> ", 1)[1].split(" ")[claim["result"]])
    part = bundle["witness"]["set"][0]
    if not isinstance(part, str) and part[0] != part[1]:
        raise LookupError
    claim["got"] = f"{pattern_of(tensor, part):0{-(-tensor.bits // 4)}x}"
    bundle["results"] = None


def set_operand(bundle):
    bundle["case"] = other(bundle["case"])


def set_set(bundle):
    part = bundle["witness"]["set"][0]
    bundle["witness"]["set"][0] = "nan" if part != "nan" else "+inf"


def set_bound(bundle):
    bundle["witness"]["bound"] = other(bundle["witness"]["bound"])


def set_theorem(bundle):
    bundle["witness"]["theorems"] = "T0"


def set_words(bundle):
    bundle["claim"]["permitted"] += " .. 0x1.8p+12"


def set_permission(bundle):
    bundle["contract"] = bundle["contract"].replace("ftz=none", "ftz=both").replace("zero_sign=strict", "zero_sign=any")


def set_component(bundle):
    bundle["claim"]["component"] += 1 << 20


def sample(bundles):
    """Some of them: every twelfth, and the first of each op and kind of program."""
    found, kinds = [], set()
    for number, bundle in enumerate(bundles):
        words = bundle["case"].split(" : ")[0].split(" ")
        kind = (words[0], "quant" in bundle["case"], "algorithm=" in bundle["case"], "complex" in bundle["case"], "FN" in bundle["case"])
        if number % 12 == 0 or kind not in kinds:
            found.append(bundle)
        kinds.add(kind)
    return found


def tampered(paths):
    bundles = []
    for path in paths:
        with open(path) as file:
            bundle = json.load(file)
        if "not decided" not in bundle["witness"]:
            bundles.append(bundle)
    for change in (set_result, set_permitted_result, set_operand, set_set, set_bound, set_theorem, set_words, set_permission, set_component):
        tried, proven = 0, {False: [], True: []}
        # What anybody may change in any bundle; the rest, which is one comparison, in some.
        for bundle in bundles if change in (set_permitted_result, set_permission) else sample(bundles):
            for is_signed_anew in (False, True):
                changed = copy.deepcopy(bundle)
                try:
                    change(changed)
                except LookupError:
                    continue
                if changed == bundle:
                    continue
                tried += 1
                if verdict(changed, is_signed_anew) == 0:
                    proven[is_signed_anew].append(changed)
        name = change.__name__[4:]
        tell(tried > 0 and not proven[False], f"changed {name}: refused", "".join(map(json.dumps, proven[False][:1])))
        # A permission that says nothing of the case, or an operand that still shows the fault, makes another claim: it is
        # decided anew, so that only numbers which no longer follow are refused.
        may_stay = change in (set_permission, set_operand, set_words, set_result)
        if not may_stay:
            tell(not proven[True], f"changed {name} and signed anew: refused", "".join(map(json.dumps, proven[True][:1])))
        if change is set_permission:
            flags = [b for b in bundles if b["claim"]["class"] in ("flush", "zero-sign")]
            left = [b for b in proven[True] if b["claim"]["class"] in ("flush", "zero-sign")]
            tell(flags and not left, f"what a permission excuses is not proven under it ({len(flags)} bundles)", "".join(map(json.dumps, left[:1])))


def main():
    what, arguments = sys.argv[2], sys.argv[3:]
    if what == "tampered":
        tampered(arguments)
        return
    if what in ("near", "beside"):
        {"near": near, "beside": beside}[what](arguments[0])
        return
    pairs = {"conforming": lambda *paths: conforming(paths), "returned": returned, "judged": judged}[what](*arguments[1:])
    asked, held, wrong = count_proofs(arguments[0], pairs)
    tell(asked > 0 and held > asked // 3 and not wrong, f"{what}: of {asked} right results none is proven wrong, {held} are held", "\n".join(wrong))


main()
