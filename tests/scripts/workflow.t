#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The workflows of GitHub Actions are YAML, may do no more than they must, take the actions that were
# looked at and no others, and call verbs and options that there are.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
workflows=$root/.github/workflows
[ -d "$workflows" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }

# Without "permissions" a job has whatever the repository's settings say.  Only reading is permitted,
# and what a checkout needs not keep, the token, it does not keep.
cat >check_rights.py <<'END'
import re, sys, yaml

text = open(sys.argv[1]).read()
workflow = yaml.safe_load(text)
granted = [workflow["permissions"]] + [job.get("permissions", {}) for job in workflow["jobs"].values()]
for rights in granted:
    assert isinstance(rights, dict), rights
    assert all(right in ("read", "none") for right in rights.values()), rights
assert workflow["permissions"] == {"contents": "read"}, workflow["permissions"]
uses = [step for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
for step in uses:
    assert re.fullmatch(r"[a-z-]+/[a-z-]+@[0-9a-f]{40}", step["uses"]), step
    assert re.search(re.escape(step["uses"]) + r" # v[0-9]+\.[0-9]+\.[0-9]+\n", text), step
    if step["uses"].startswith("actions/checkout@"):
        assert step["with"]["persist-credentials"] is False, step
END
check_rights() { python3 check_rights.py "$1"; } # FILE

# The check itself: files that ask for more.
if python3 -c 'import yaml' 2>/dev/null; then
  good=$workflows/nightly.yml
  reject() { # DESCRIPTION SED-SCRIPT
    sed -E "$2" "$good" >worse.yml
    ! cmp -s "$good" worse.yml && ! check_rights worse.yml >out 2>err
    ok $? "rejected: $1"
  }
  reject "no permissions" '/^permissions:/,/^$/d'
  reject "write permissions" 's/^(  contents:) read/\1 write/'
  reject "write permissions of a job" 's/^(      actions:) read/\1 write/'
  reject "all permissions" '/^  contents: read/d; s/^permissions:/& write-all/'
  reject "a tag" 's/checkout@[0-9a-f]* # /checkout@/'
  reject "a branch" 's/(upload-artifact@)[0-9a-f]*/\1main/'
  reject "a pin that nobody can read" 's/ # v[0-9.]*$//'
  reject "a checkout that keeps the token" '/persist-credentials/d; s/^        with:$/&\n          fetch-depth: 1/'
fi

for file in "$workflows"/*.yml; do
  name=$(basename "$file")
  if python3 -c 'import yaml' 2>/dev/null; then
    python3 - "$file" >out 2>err <<'END'
import sys, yaml
jobs = yaml.safe_load(open(sys.argv[1]))["jobs"]
for job in jobs.values():
    assert job["steps"] and job["runs-on"]
    needs = job.get("needs", [])
    for need in [needs] if isinstance(needs, str) else needs:
        assert need in jobs, need
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step), step
END
    ok $? "$name: jobs and their steps"
    check_rights "$file" >out 2>err
    ok $? "$name: permissions to read, and pinned actions"
  else
    count=$((count + 1))
    echo "ok $count # SKIP python3-yaml is not installed (apt-get install python3-yaml)"
  fi

  # Each call of the program on a line of its own; folded lines are joined first.
  awk '/run: >-$/ { folded = 1; text = ""; next }
       folded && /^          / { sub(/^ */, ""); text = text " " $0; next }
       folded { print text; folded = 0 }
       { print }' "$file" | grep -o 'build/assay .*' >calls
  [ -s calls ]
  ok $? "$name: calls the program"
  while read -r _ verb words; do
    "$ASSAY" help "$verb" >help 2>err </dev/null
    ok $? "$name: there is a verb $verb"
    for option in $(echo "$words" | grep -o -e ' --[a-z-]*\|^--[a-z-]*'); do
      grep -q -e " $option\( \|=\|\$\)" help
      ok $? "$name: $verb has $option"
    done
  done <calls

  for script in $(grep -o -e 'harness/[a-z/-]*' "$file" | sort -u); do
    [ -x "$root/$script" ]
    ok $? "$name: there is $script"
  done
done
finish
