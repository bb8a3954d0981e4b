#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The environments of workers are made from complete lists with hashes: the lists that are there, the
# script that writes them, and what happens to a file that is not what was locked.  No network: the
# packages are two small ones made here.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
lists=$root/harness/exec/workers/requirements
[ -e "$lists/lock.py" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }

# ---- The lists -----------------------------------------------------------------------------------------
cat >check_lists.py <<'END'
import re, sys
from pathlib import Path

folder = Path(sys.argv[1])
def lists(ending):
    return {str(path.relative_to(folder).with_suffix("")) for path in folder.glob("**/*" + ending)}
names = lists(".in")
assert names and names == lists(".requirements"), names
pin = re.compile(r"([a-z0-9-]+)==(\S+?)( ; [^\\]+?)?( \\)?$")
for name in names:
    locked, hashes = {}, 1
    for line in (folder / f"{name}.requirements").read_text().splitlines():
        if line.startswith("#"):
            continue
        if re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line):
            hashes += 1
            continue
        found = pin.match(line)
        assert found and hashes > 0, (name, line)
        locked[found[1]], hashes = found[2], 0
    assert hashes > 0, name
    for line in (folder / f"{name}.in").read_text().splitlines():
        if line and not line.startswith("#"):
            package, _, version = line.partition("#")[0].strip().partition("==")
            assert locked[package.lower().replace("_", "-")] == version, (name, line)
END
python3 check_lists.py "$lists" >out 2>err
ok $? "every list is there, has hashes throughout, and has the versions that were asked for"

# ---- The script ----------------------------------------------------------------------------------------
mkdir wheels lists
python3 "$root/tests/fixtures/make_wheel.py" needed 2.5 >out 2>err && python3 "$root/tests/fixtures/make_wheel.py" wanted 1.0 "needed>=2" >>out 2>>err
ok $? "two packages are made"
export PIP_NO_INDEX=1 PIP_FIND_LINKS="$folder/wheels" PIP_CONFIG_FILE=/dev/null
python=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
printf '# For this test.\nwanted==1.0\n' >lists/onnxruntime.in
python3 "$lists/lock.py" --folder lists --pythons "$python" >out 2>err
ok $? "lock.py"
hash_of() { sha256sum "wheels/$1" | cut -d' ' -f1; }
cat >expected <<END
# For this test.
# Locked for Python $python by lock.py from onnxruntime.in: change that.
needed==2.5 \\
    --hash=sha256:$(hash_of needed-2.5-py3-none-any.whl)
wanted==1.0 \\
    --hash=sha256:$(hash_of wanted-1.0-py3-none-any.whl)
END
diff lists/onnxruntime.requirements expected >out
ok $? "lock.py: what is needed is in the list too, each with its hash"

# ---- Installing ----------------------------------------------------------------------------------------
# The program looks for its workers beside itself.
mkdir -p program/workers/requirements
cp "$ASSAY" program/assay
export XDG_DATA_HOME="$folder/data"
unset ASSAY_PYTHON
made=$XDG_DATA_HOME/assay/executors/onnxruntime
install() { # STATUS DESCRIPTION
  program/assay executors install onnxruntime >out 2>err </dev/null
  status=$?
  [ "$status" -eq "$1" ]
  ok $? "$2: exit code $1"
}

sed 's/^\(    --hash=sha256:\)./\1f/; s/^\(    --hash=sha256:f\)f/\1e/' expected >program/workers/requirements/onnxruntime.requirements
install 3 "a hash that was tampered with"
like err "DO NOT MATCH THE HASHES" "a hash that was tampered with: pip says which"
like err "^assay: what pip found is not what .*onnxruntime.requirements was locked with" \
  "a hash that was tampered with: so does Assay"
[ ! -e "$made/assay.requirements" ] && ! "$made/bin/python" -c 'import wanted' 2>/dev/null
ok $? "a hash that was tampered with: nothing counts as installed, and nothing is"

grep -v -A1 '^needed' expected | grep -v "$(hash_of needed-2.5-py3-none-any.whl)" >program/workers/requirements/onnxruntime.requirements
install 3 "a list that is not complete"
like err "pip could not install" "a list that is not complete: nothing is taken that is not in it"

sed "s/Python $python/Python 2.7, 3.4/" expected >program/workers/requirements/onnxruntime.requirements
install 3 "a list for other versions"
like err "is no Python of a version that .* is locked for (2.7, 3.4): set ASSAY_PYTHON" "a list for other versions: which"

sed "1s/.*/# For elsewhere.\n# Where pip finds no wanted==1.0+cpu, other is installed instead./" expected \
  >program/workers/requirements/onnxruntime.requirements
cp expected program/workers/requirements/other.requirements
install 0 "a list for elsewhere"
"$made/bin/python" -c 'import wanted, needed' 2>err
ok $? "a list for elsewhere: the other one is installed"
cmp -s "$made/assay.requirements" expected
ok $? "a list for elsewhere: and it is known which"
unlike out "hash" "what is installed is told without hashes"
like out "^wanted==1.0$" "what is installed is told"
install 0 "installed already"
like out "^onnxruntime is installed in " "installed already: says so"
echo "# Changed." >>program/workers/requirements/other.requirements
program/assay executors >out 2>err
like out "^onnxruntime  *absent" "a list that changed: it is to be installed again"
finish
