#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual page has every verb and every option, and is good roff.
. "$(dirname "$0")/../checks.sh"

run 0 "the manual page" help --man
mv out page.1
unlike page.1 '^[^.].*[^\\]--[a-z]' "no bare hyphens in options"
for section in NAME SYNOPSIS DESCRIPTION VERBS EXECUTORS CONTRACTS ENVIRONMENT 'EXIT STATUS' EXAMPLES; do
  like page.1 "^\.SH $section$" "section $section"
done
like page.1 'init_count' "permissions"

"$ASSAY" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >verbs
[ "$(wc -l <verbs)" -ge 16 ]
ok $? "help lists the verbs"
while read -r verb; do
  # The part of the page on this verb.
  awk -v verb="$verb" '/^\.S[SH] / { inside = $0 == ".SS " verb } inside' page.1 >part
  "$ASSAY" "$verb" --help >help </dev/null
  missing=
  for option in $(grep -o -e '^  \(-., \|\)--[a-z-]*' help | sed 's/.*--//' | grep -v '^help$'); do
    grep -q -e "^\(\\\\fB\\\\-.\\\\fR, \|\)\\\\fB\\\\-\\\\-$(echo "$option" | sed 's/-/\\\\-/g')\\\\fR" part ||
      missing="$missing $option"
  done
  [ -s part ] && [ -z "$missing" ]
  ok $? "$verb: all options${missing:+ but$missing}"
done <verbs

if command -v groff >/dev/null; then
  groff -ww -man -Tutf8 page.1 >shown 2>warnings
  [ $? -eq 0 ] && [ ! -s warnings ]
  ok $? "groff has no complaint"
  sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' shown >text
  like text "assay replay 'CASE LINE' --executor onednn" "quotes and dashes can be pasted"
  like text '^ *-e, --executor=NAME' "options are shown"
else
  count=$((count + 1))
  echo "ok $count # SKIP groff is not installed (apt-get install groff)"
fi
finish
