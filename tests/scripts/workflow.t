#!/bin/sh
# The workflow of GitHub Actions is YAML, and calls verbs and options that there are.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
workflows=$root/.github/workflows
[ -d "$workflows" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }

for file in "$workflows"/*.yml; do
  name=$(basename "$file")
  if python3 -c 'import yaml' 2>/dev/null; then
    python3 - "$file" >out 2>err <<'END'
import sys, yaml
jobs = yaml.safe_load(open(sys.argv[1]))["jobs"]
for job in jobs.values():
    assert job["steps"] and job["runs-on"]
    for need in [job["needs"]] if "needs" in job else []:
        assert need in jobs, need
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step), step
END
    ok $? "$name: jobs and their steps"
  else
    count=$((count + 1))
    echo "ok $count # SKIP python3-yaml is not installed"
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
