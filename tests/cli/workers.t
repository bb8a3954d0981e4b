#!/bin/sh
# The Python backends for real: installed by our own command, checked, vetted for a moment, and held
# against what was found in them.  Skipped, with the reason, where their packages cannot be had.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/checks.sh"

# vet EXECUTOR CASES: a short campaign ends without a failure of ours or of the worker.
vet() {
  "$ASSAY" run --executor "$1" --op stablehlo.reduce --op stablehlo.dot_general --cases "$2" \
    --contract backend,ftz=both --json >out 2>err </dev/null
  status=$?
  [ "$status" -le 1 ]
  ok $? "$1: a campaign of $2 cases ends, with or without divergences"
  [ "$(json out 'my %n; $n{$_->{outcome}} += $_->{cases} for @{$d->{counters}}; $n{conforms} > 0.3 * '"$2"' && !$n{failed} ? 1 : 0')" = 1 ]
  ok $? "$1: most of what it takes conforms, and nothing fails"
}

for name in onnxruntime torch xla; do
  if ! "$ASSAY" executors install "$name" >out 2>err </dev/null; then
    count=$((count + 1))
    echo "ok $count - $name # SKIP $(tail -n 1 err | tr '#' ' ' | cut -c1-150)"
    continue
  fi
  "$ASSAY" executors >out 2>err
  like out "^$name *ready" "$name: installed and ready"
  vet "$name" 400
  "$ASSAY" replay "$root/corpus/found/$name.cases" --executor "$name" >out 2>err </dev/null
  [ $? -le 1 ]
  ok $? "$name: what was found in it can be replayed"
  [ "$(grep -c -e "^$name: conforms" -e "^$name: diverges" out)" -eq \
    "$(grep -c '^stablehlo' "$root/corpus/found/$name.cases")" ]
  ok $? "$name: every found case has a verdict"
done

if "$ASSAY" executors 2>err | grep -q '^stablehlo  *ready'; then
  vet stablehlo 400
  [ "$(json out 'scalar grep { $_->{outcome} eq "diverges" && $_->{class} ne "invalid-accepted" } @{$d->{counters}}')" = 0 ]
  ok $? "stablehlo: the reference interpreter conforms"
fi

finish
