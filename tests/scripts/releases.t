#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Releases by name, several side by side, and `assay bisect` over them, with an index of our own: packages called
# onnxruntime that tests/fixtures/make_wheel.py writes, and a worker that errs in some of their versions.  No network.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
[ -e "$root/tests/fixtures/make_wheel.py" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
python3 -c 'import ensurepip, venv' 2>/dev/null || { echo '1..0 # SKIP python3 has no venv: apt-get install python3-venv'; exit 0; }
fixtures=$root/tests/fixtures
mkdir -p wheels program/workers/requirements
cp "$ASSAY" program/assay
cp "$fixtures/releases/onnxruntime_worker.py" program/workers/
printf '# For this test.\nonnxruntime==1.6.1\nneeded==1.0\npaired==1.6.7  # of the same release\n' >program/workers/requirements/onnxruntime.in
printf 'onnxruntime==1.6.1\nneeded==1.0\n' >program/workers/requirements/onnxruntime.requirements
python3 "$fixtures/make_wheel.py" needed 2.5
for version in 1.1.7 1.2.0 1.2.7 1.3.7 1.4.7 1.5.7 1.6.7 1.10.7 2.0; do python3 "$fixtures/make_wheel.py" paired "$version"; done
for version in 1.1 1.2 1.3 1.4 1.5 1.6rc1 1.6 1.6.1 1.10; do python3 "$fixtures/make_wheel.py" onnxruntime "$version"; done
python3 "$fixtures/make_wheel.py" onnxruntime 1.5.1 "nowhere>=9"
export PIP_NO_INDEX=1 PIP_FIND_LINKS="$folder/wheels" PIP_CONFIG_FILE=/dev/null XDG_DATA_HOME="$folder/data"
unset ASSAY_PYTHON
ASSAY=$folder/program/assay
installed=$XDG_DATA_HOME/assay/executors
sum='stablehlo.reduce body=add dims=[0] i64[1] i64[] -> i64[] : 0000000000000007 : 0000000000000000'

# ---- Installing ----------------------------------------------------------------------------------------
run 0 "a release" executors install onnxruntime==1.2
like out "^Installing onnxruntime@1.2, onnxruntime 1.2, into .*onnxruntime@1.2$" "a release: what is done is told"
grep -q 'needed-2.5-py3-none-any.whl' "$installed/onnxruntime@1.2/assay.report.json"
ok $? "a release: the report has what pip found beside it"
grep -q 'paired-1.2.7-py3-none-any.whl' "$installed/onnxruntime@1.2/assay.report.json"
ok $? "a release: what is of the same release is of its first two numbers, the newest"
run 0 "another beside it" executors install onnxruntime==1.5
run 0 "a release that is there" executors install onnxruntime==1.2
like out "^onnxruntime@1.2 is installed in " "a release that is there: says so"
run 2 "a release that there is not" executors install onnxruntime==1.7
like err "there is no onnxruntime 1.7 .*nearest are 1.6, 1.6.1, 1.10$" "a release that there is not: the nearest, in order"
run 2 "no version at all" executors install onnxruntime==../x
run 2 "several packages" executors install pjrt-cpu==1
run 3 "a release that cannot be installed" executors install onnxruntime==1.5.1
like err "pip could not install onnxruntime==1.5.1" "a release that cannot be installed: which"
[ ! -e "$installed/onnxruntime@1.5.1" ]
ok $? "a release that cannot be installed: nothing is left of it"
sed -i '1a# Installed without what these packages ask for.' program/workers/requirements/onnxruntime.in
run 0 "a release without what it asks for" executors install onnxruntime==1.5.1
rm -r "$installed/onnxruntime@1.5.1"
sed -i 2d program/workers/requirements/onnxruntime.in
run 2 "a bad version of Python" executors install onnxruntime==1.2 --python 13
run 3 "a Python that is not here" executors install onnxruntime==1.2 --python 3.99
like err "there is no python3.99 on the PATH, in .*pyenv" "a Python that is not here: where it was sought"
run 2 "Python for what is locked" executors install onnxruntime --python 3.11
here=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
run 0 "a Python by its version" executors install onnxruntime==1.2 --python "$here"
run 0 "the list" executors
like out "^onnxruntime@1.2  *ready  *onnxruntime 1.2" "the list has one release"
like out "^onnxruntime@1.5  *ready  *onnxruntime 1.5" "the list has the other"
like out "^onnxruntime  *absent" "the list: the locked one is another matter"

# ---- As executors --------------------------------------------------------------------------------------
run 1 "both run" replay "$sum" --executor onnxruntime@1.2 --executor onnxruntime@1.5
like out "^onnxruntime@1.2: conforms" "both run: one conforms"
like out "^onnxruntime@1.5: diverges, value" "both run: the other diverges"
run 3 "one that is not there" replay "$sum" --executor onnxruntime@1.4
like err "onnxruntime@1.4 is not installed: run .assay executors install onnxruntime==1.4" "one that is not there: what to do"
run 2 "no version" replay "$sum" --executor onnxruntime@
for release in 1.2 1.5; do
  "$ASSAY" run --executor "onnxruntime@$release" --program 'stablehlo.reduce body=add dims=[0] i64[1] i64[] -> i64[]' \
    --cases 20 --db both.db >out 2>err </dev/null
done
run 1 "compared" compare onnxruntime@1.2 onnxruntime@1.5 --db both.db
like out "^before: .* onnxruntime@1.2, version" "compared: before"
like out "findings: 0 only before, 1 only after" "compared: what is new"

# ---- Bisecting -----------------------------------------------------------------------------------------
run 0 "bisect" bisect "$sum" --backend onnxruntime --from 1.2 --to 1.6.1
like out "=> brought by 1.4 (1.2 conforms; or by one of the 1 between, which cannot be tested)" "bisect: what is between is told"
like out "^  1.4  *diverges  *value: 6" "bisect: what came"
like out "^  1.3  *untestable  *refused: not in this release" "bisect: why one cannot be tested"
[ ! -e "$installed/onnxruntime@1.4" ] && [ ! -e "$installed/onnxruntime@1.6.1" ] && [ -e "$installed/onnxruntime@1.2" ]
ok $? "bisect: what it installed is gone, what was there is left"
run 0 "bisect again" bisect "$sum" --backend onnxruntime --from 1.2 --to 1.6.1 --json
[ ! -s err ] && [ "$(json out '$d->[0]{changes}[0]{release}')" = 1.4 ]
ok $? "bisect again: nothing is tried again, and the answer is the same"
tail -c 20 "$XDG_DATA_HOME/assay/bisect/onnxruntime.tsv" >cut
truncate -s -9 "$XDG_DATA_HOME/assay/bisect/onnxruntime.tsv"
run 0 "bisect after a crash" bisect "$sum" --backend onnxruntime --from 1.2 --to 1.6.1 --json
[ "$(grep -c ': is installed and runs\|: runs' err)" = 1 ] && [ "$(json out '$d->[0]{changes}[0]{release}')" = 1.4 ]
ok $? "bisect after a crash: only the line that was cut off is learned again"
run 0 "mended" bisect "$sum" --backend onnxruntime --from 1.4 --to 1.6
like out "=> mended in 1.6 (1.5 diverges; or by one of the 1 between" "mended: by the first that conforms"
like out "^  1.5.1  *untestable  *pip could not install" "mended: a release that cannot be installed"
run 0 "every release" bisect "$sum" --backend onnxruntime --from 1.6rc1 --to 1.6.1 --every --early
like out "^  1.6rc1  *conforms" "every release: candidates, too"
like out "=> brought by 1.6.1 (1.6 conforms)" "every release: what came back shows"
run 2 "an empty range" bisect "$sum" --backend onnxruntime --from 1.11
like err "there are 0 releases of onnxruntime in that range, .* 1.1 to 1.10" "an empty range: what there is"
run 2 "no worker" bisect "$sum" --backend pjrt-cpu
like err "^assay: pjrt-cpu has no releases to install" "no worker: says so"
run 2 "a bad case" bisect 'stablehlo.reduce nonsense' --backend onnxruntime
PIP_FIND_LINKS=$folder/none run 3 "no index" bisect "$sum" --backend onnxruntime
like err "pip finds no releases of onnxruntime .*check the network" "no index: says so"
run 0 "removed" executors remove onnxruntime==1.2
[ ! -e "$installed/onnxruntime@1.2" ]
ok $? "removed: it is gone"
finish
