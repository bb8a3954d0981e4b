# SPDX-License-Identifier: Apache-2.0
# What the tests of the command line share: sourced by each *.t, which prints TAP on standard output.
# The program is $ASSAY, or build/assay of this checkout.
# Scripts lie at several depths below it.
checkout=$(cd "$(dirname "$0")" && pwd)
while [ ! -e "$checkout/CMakePresets.json" ] && [ "$checkout" != / ]; do checkout=$(dirname "$checkout"); done
: "${ASSAY:=$checkout/build/assay}"
[ -x "$ASSAY" ] || { echo "1..0 # SKIP $ASSAY is not built"; exit 0; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-cli.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

count=0
bad=0

# ok STATUS DESCRIPTION: a test point that passes if STATUS is 0.
ok() {
  count=$((count + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $count - $2"
  else
    bad=$((bad + 1))
    echo "not ok $count - $2"
    sed 's/^/# out: /' out 2>/dev/null | head -5 | cut -c1-300
    sed 's/^/# err: /' err 2>/dev/null | head -5 | cut -c1-300
  fi
}

# run STATUS DESCRIPTION COMMAND...: runs `assay COMMAND...` into the files out and err; a test point
# that passes if it exits with STATUS.
run() {
  expected=$1
  description=$2
  shift 2
  "$ASSAY" "$@" >out 2>err </dev/null
  status=$?
  [ "$status" -eq "$expected" ]
  ok $? "$description: exit code $expected"
}

# like FILE PATTERN DESCRIPTION: a test point that passes if a line of FILE matches.
like() {
  grep -q -e "$2" "$1"
  ok $? "$3"
}

unlike() {
  ! grep -e "$2" "$1" >matched
  ok $? "$3"
  sed 's/^/# matched: /' matched | head -5 | cut -c1-300
}

# parses_as_json FILE DESCRIPTION
parses_as_json() {
  perl -MJSON::PP -e 'local $/; decode_json(<>)' "$1" >/dev/null 2>&1
  ok $? "$2"
}

# json FILE EXPRESSION: prints a Perl expression of the document $d.
json() {
  perl -MJSON::PP -e 'local $/; my $e = shift; my $d = decode_json(<>); print eval $e' "$2" "$1"
}

# judge_case EXIT CASE RESULT [CONTRACT]: what `assay judge` says of one result.
judge_case() {
  printf '%s\t%s\n' "$2" "$3" | "$ASSAY" judge --contract "${4:-backend}" >out 2>err
  [ $? -eq "$1" ]
  ok $? "$3 of ${2%% *}: exit code $1"
}

# judge_without CASE RESULT WORDS [CONTRACT]: nobody knows what that means, for a reason with these words.
judge_without() {
  printf '%s\t%s\n' "$1" "$2" | "$ASSAY" judge --contract "${4:-backend}" --json >out 2>err
  grep -q "\"outcome\": \"no-oracle\".*$3" out
  ok $? "${1%% *} without an oracle: $3"
}

# list_executors NAME...: what `assay executors` lists if of all that is installed only these are: each is started, which
# takes seconds, and on some machines there are dozens, releases among them.  An option goes to the command.
list_executors() {
  mkdir -p "$folder/only/assay/executors"
  rm -f "$folder"/only/assay/executors/*
  option=
  for name; do
    case $name in
      --*) option=$name ;;
      *) ln -s "${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/$name" "$folder/only/assay/executors/$name" ;;
    esac
  done
  # Unquoted: nothing, if there is none.
  XDG_DATA_HOME="$folder/only" "$ASSAY" executors $option </dev/null
}

finish() {
  echo "1..$count"
  [ "$bad" -eq 0 ]
}

# is VALUE EXPECTED DESCRIPTION
is() {
  [ "$1" = "$2" ]
  ok $? "$3 ($1)"
}

# start SIGNAL SECONDS COMMAND...: runs it, sends it the signal after so many seconds, and exits as it does.
start() {
  perl -e '
    my ($signal, $seconds, @command) = @ARGV;
    my $child = fork() // die;
    if ($child == 0) { $SIG{INT} = "DEFAULT"; exec @command or die }
    select undef, undef, undef, $seconds;
    kill $signal, $child;
    waitpid $child, 0;
    exit($? & 127 ? 128 + ($? & 127) : $? >> 8)' "$@"
}
