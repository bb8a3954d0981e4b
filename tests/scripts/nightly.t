#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The steps of .github/workflows/nightly.yml as they stand there, night after night: the first finds
# something, the second finds it again, the third finds something else.  Only the actions themselves
# are stood in for: what is uploaded is in a folder the next night.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
workflow=$root/.github/workflows/nightly.yml
backend=$(dirname "$ASSAY")/tests/dso/lives.so
[ -e "$workflow" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
[ -e "$backend" ] || { echo "1..0 # SKIP $backend is not built"; exit 0; }
python3 -c 'import yaml' 2>/dev/null || { echo "1..0 # SKIP python3-yaml is not installed (apt-get install python3-yaml)"; exit 0; }

# JOB-STEP: the scripts, with what GitHub fills in.
cat >steps.py <<'END'
import sys, yaml

values = {"matrix.shard": "2", "matrix.check": "writers", "github.run_number": "31"}
for name, job in yaml.safe_load(open(sys.argv[1]))["jobs"].items():
    for step in job["steps"]:
        if "run" not in step:
            continue
        script = step["run"]
        for key, value in values.items():
            script = script.replace("${{ %s }}" % key, value)
        assert "${{" not in script, script
        with open(f"{name}-{step['name']}", "w") as file:
            file.write(script)
END
python3 steps.py "$workflow" >out 2>err
ok $? "the steps"
mkdir build bin
ln -s "$ASSAY" build/assay
step() { sh -e "$1" >out 2>err </dev/null; } # FILE

# ---- A shard -----------------------------------------------------------------------------------------------
cp "$backend" liblives.so
export LIVES_VERSION=1.0 LIVES_DEEDS=drop
sed -i "s|--executor onednn --executor openblas|--executor dso:$folder/liblives.so --op stablehlo.reduce|" shard-Search
mkdir shard
ln -s ../build shard/build
(cd shard && TIME=1s sh -e ../shard-Search >../said 2>../err </dev/null)
ok $? "a shard that finds something has searched"
like said "^wrong-value[^ ]* .*liblives.so .*stablehlo.reduce" "a shard that finds something tells it"
[ -s shard/out/campaign.db ]
ok $? "a shard that finds something leaves its folder"

# ---- Nights ------------------------------------------------------------------------------------------------
# night STATUS DESCRIPTION DEEDS: one shard searches the same few cases, and the report tells.
night() {
  rm -rf shards
  mkdir -p shards/shard-2
  LIVES_DEEDS=$3 "$ASSAY" run --executor "dso:$folder/liblives.so" --cases 40 --fail-on never \
    --program 'stablehlo.reduce body=add dims=[0] f32[5] f32[] -> f32[]' \
    --db shards/shard-2/campaign.db >out 2>err
  ok $? "$2: the search"
  export GITHUB_STEP_SUMMARY="$folder/summary"
  rm -f merged/report.html merged/junit.xml summary
  step report-Merge
  ok $? "$2: merged"
  step report-Report
  status=$?
  [ "$status" -eq "$1" ]
  ok $? "$2: the report's exit status is $1 (found $status)"
  [ -s merged/report.html ] && [ -s merged/junit.xml ] && [ -s merged/campaign.db ]
  ok $? "$2: page, JUnit and database are there"
  like summary '|' "$2: the summary is there"
}
night 1 "the first night" drop
like merged/junit.xml "<failure" "the first night: what is new fails"
night 0 "the same again" drop
unlike merged/junit.xml "<failure" "the same again: nothing fails"
like merged/junit.xml "<skipped message=\"known\"" "the same again: it is known"
night 0 "a night without findings" ""
night 1 "something else" "drop unwritten"
like merged/junit.xml "<failure" "something else: fails"

# ---- Which run is the last ---------------------------------------------------------------------------------
command -v jq >/dev/null || {
  count=$((count + 1))
  echo "ok $count # SKIP jq is not installed (apt-get install jq)"
  finish
}
printf '#!/bin/sh\necho "$*" >asked\ncat answer\n' >bin/gh
chmod +x bin/gh
artifact() { # RUN BRANCH EXPIRED DAY HEAD
  printf '{"expired": %s, "created_at": "2026-11-0%sT02:40:00Z", "workflow_run": {"id": %s,
    "head_branch": "%s", "repository_id": 1, "head_repository_id": %s}}' "$3" "$4" "$1" "$2" "$5"
}
last() { # RUN DESCRIPTION ARTIFACT...: of branch main, at run 9
  expected=$1
  what=$2
  shift 2
  { printf '{"artifacts": ['; separator=
    for artifact; do printf '%s%s' "$separator" "$artifact"; separator=,; done; printf ']}'; } >answer
  GITHUB_OUTPUT=$folder/told; export GITHUB_OUTPUT; : >told
  PATH="$folder/bin:$PATH" GITHUB_REPOSITORY=a/b GITHUB_REF_NAME=main GITHUB_RUN_ID=9 step last-Find &&
    [ "$(cat told)" = "run=$expected" ]
  ok $? "the last run: $what"
}
last "" "none at the first"
like asked "^api repos/a/b/actions/artifacts?name=nightly" "the last run: GitHub is asked"
last 7 "the latest" "$(artifact 6 main false 1 1)" "$(artifact 7 main false 2 1)" "$(artifact 5 main false 1 1)"
last 6 "not what is gone, of this run, of a branch or of a fork" "$(artifact 6 main false 1 1)" \
  "$(artifact 7 main true 2 1)" "$(artifact 9 main false 3 1)" "$(artifact 8 other false 4 1)" \
  "$(artifact 8 main false 5 2)"
finish
