#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shells complete verbs, options and their values; each script asks the program that is being typed.
. "$(dirname "$0")/../checks.sh"

run 2 "a shell that we do not know" completion tcsh
like err "bash, zsh or fish" "a shell that we do not know: what to write"
run 2 "no shell" completion
run 2 "two shells" completion bash zsh
for shell in bash zsh fish; do
  run 0 "$shell: a script" completion "$shell"
  mv out "script.$shell"
  command -v "$shell" >/dev/null || continue
  "$shell" -n "script.$shell" 2>err
  ok $? "$shell: the script parses"
done

# typed LINE: what bash would offer after the line, one candidate a line, into the file out.
cat >drive.bash <<'END'
complete() { :; }
compopt() { :; }
source script.bash
COMP_LINE=$1
COMP_POINT=${#COMP_LINE}
_assay "$ASSAY"
printf '%s\n' "${COMPREPLY[@]}"
END
typed() { ASSAY=$ASSAY bash drive.bash "$1" >out 2>err; }

# offers LINE CANDIDATE: bash offers the candidate after the line.
offers() {
  typed "$1"
  grep -q -x -F -e "$2" out && [ ! -s err ]
  ok $? "bash, '$1': $2"
}

# offers_all LINE FILE: it offers these, and nothing else.
offers_all() {
  typed "$1"
  sort out >offered
  sort "$2" | cmp -s - offered
  ok $? "bash, '$1': $3"
}

"$ASSAY" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >verbs
{ cat verbs; printf 'help\n--help\n--version\n'; } >expected
offers_all 'assay ' expected "all verbs"
{ cat verbs; echo contracts; } >topics
offers_all 'assay help ' topics "all verbs, and contracts"
offers 'assay quer' query
"$ASSAY" ops | cut -d' ' -f1 >ops
offers_all 'assay run --op ' ops "all ops"
offers_all 'assay run --op=' ops "all ops"
offers_all 'assay run -o ' ops "all ops"
offers_all 'assay fuzz ' ops "all ops"
"$ASSAY" query --list | cut -d' ' -f1 >queries
offers_all 'assay query ' queries "all queries"
while read -r verb; do
  { "$ASSAY" "$verb" --help | grep -o -e '^  \(-., \|\)--[a-z-]*' | sed 's/.*--/--/'; } | sort -u >expected
  offers_all "assay $verb --" expected "all options"
done <verbs
offers 'assay run --executor mod' model:pairwise
offers 'assay run --executor model:pairw' pairwise+fma
offers 'assay run --executor=canary:' drop_last_term
offers 'assay run --op stablehlo.reduce --executor onnx' onnxruntime
offers 'assay run --contract ' backend
offers 'assay run --contract=backend,ftz=' inputs
offers 'assay invariance --property r' row-count
offers 'assay executors install to' torch
offers 'assay completion f' fish
touch nightly.db
offers 'assay query by-op --db nigh' nightly.db
offers 'assay replay ni' nightly.db
typed 'assay nothing --'
! grep -q . out
ok $? "bash: nothing for an unknown verb"

if command -v fish >/dev/null; then
  PATH="$(dirname "$ASSAY"):$PATH" HOME=$folder fish -c \
    'source script.fish; complete -C "assay run --op stable"' >out 2>err
  like out '^stablehlo.reduce.*combines' "fish: ops and what they are"
  PATH="$(dirname "$ASSAY"):$PATH" HOME=$folder fish -c \
    'source script.fish; complete -C "assay query by-op --db nigh"' >out 2>err
  like out '^nightly.db' "fish: files"
fi
finish
