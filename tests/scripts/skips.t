#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A skipped test is not a passed one: tests/guard notes skips, tests/skips tells them and knows the
# excuses, and tests/run --no-skips fails for one without.  All of it here in a small tree of stand-ins.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset ASSAY ASSAY_SKIPS ASSAY_EXCUSED_SKIPS ASSAY_CPUINFO
mkdir -p "$place/tree/tests/here" "$place/tree/harness" "$place/tree/build/tests" "$place/bin"
tree=$place/tree
cp "$root/tests/run" "$root/tests/guard" "$root/tests/skips" "$root/tests/excused_skips.txt" "$root/tests/long.txt" "$tree/tests"
cd "$tree" || exit 1

number=0
failures=0
# ok STATUS DESCRIPTION: passes if STATUS is 0.
ok() {
  number=$((number + 1))
  if [ "$1" -eq 0 ]; then echo "ok $number - $2"; return; fi
  failures=$((failures + 1))
  echo "not ok $number - $2"
  sed 's/^/# /' "$place/out" | head -20
}
# has PATTERN DESCRIPTION: the last output has a line that matches.
has() { grep -q -e "$1" "$place/out"; ok $? "$2"; }
# script NAME: makes an executable of standard input.
script() { cat >"$1"; chmod +x "$1"; }

# ---- What is noted ---------------------------------------------------------------------------------------
script tests/here/some.t <<'END'
#!/bin/sh
echo "ok 1 - one"
echo "ok 2 - two # SKIP no such thing"
echo "not ok 3 - three # TODO SKIP is for others"
echo "ok 4 # SKIP AFL++ is not installed (apt-get install afl++)"
echo "1..4"
END
script tests/here/all.t <<'END'
#!/bin/sh
echo "1..0 # SKIP isa=AVX2: oneDNN does not have it on this processor and takes SSE41"
END
script tests/here/glib.t <<'END'
#!/bin/sh
printf 'TAP version 13\n# random seed: R02S\n1..2\nok 1 /a/b # SKIP said the test\nok 2 /a/c\n'
exit 3
END
export ASSAY_SKIPS=$place/noted
for name in some all glib; do
  : >"$ASSAY_SKIPS"
  tests/guard "tests/here/$name.t" --tap >"$place/said" 2>&1
  echo $? >>"$place/said"
  cp "$ASSAY_SKIPS" "$place/$name"
done
[ "$(tail -n 1 "$place/said")" = 3 ]
ok $? "guard: the exit status of the test"
cp "$place/some" "$place/out"
[ "$(cut -f1,3 "$place/some" | tr '\t' '|')" = "tests/here/some.t|no such thing
tests/here/some.t|AFL++ is not installed (apt-get install afl++)" ]
ok $? "guard: each skipped point, and nothing else"
cp "$place/all" "$place/out"
has '^tests/here/all.t	all of it	isa=AVX2: oneDNN' "guard: a test that is skipped as a whole"
cp "$place/glib" "$place/out"
has '^tests/here/glib.t	point 1: /a/b 	said the test$' "guard: what GLib skips"
unset ASSAY_SKIPS

# ---- What has an excuse ------------------------------------------------------------------------------------
# told STATUS DESCRIPTION NOTE...
told() {
  expected=$1
  what=$2
  shift 2
  printf '%s\n' "$@" >"$place/notes"
  tests/skips "$place/noted" "$place/notes" >"$place/out" 2>&1
  [ $? -eq "$expected" ]
  ok $? "$what"
}
: >"$place/noted"
told 0 "nothing was skipped"
has '^== Skipped: nothing$' "nothing was skipped: says so"
printf 'a.t\tall of it\tAFL++ is not installed (apt-get install afl++)\n' >"$place/noted"
told 1 "a package that could be there"
has '^a.t, all of it: AFL++ is not installed .* \[no excuse\]$' "a package that could be there: which test, and why"
has '^1 of these have no excuse' "a package that could be there: how many"
told 0 "Debian is out of reach" debian-unreachable
has '\[debian-unreachable\]$' "Debian is out of reach: that is the excuse"
told 1 "PyPI is out of reach, which is no excuse for that" pypi-unreachable
printf 'b.t\tpoint 1: xla\txla is not installed: run `assay executors install xla`\n' >>"$place/noted"
told 1 "one of two" debian-unreachable
told 0 "both" debian-unreachable pypi-unreachable
printf 'c.t\tall of it\tisa=AVX2: oneDNN does not have it on this processor and takes SSE41\n' >"$place/noted"
printf 'flags\t\t: fpu sse4_1 avx avx2 fma\n' >"$place/cpuinfo"
export ASSAY_CPUINFO=$place/cpuinfo
told 1 "instructions that the processor has"
printf 'flags\t\t: fpu sse4_1 avx avx2x fma\n' >"$place/cpuinfo"
told 0 "instructions that it lacks"
has '\[cpu-lacks:avx2\]$' "instructions that it lacks: named"
unset ASSAY_CPUINFO
printf 'd.t\tall of it\tI do not feel like it\n' >"$place/noted"
told 1 "whatever else" debian-unreachable pypi-unreachable

# ---- tests/run ---------------------------------------------------------------------------------------------
rm tests/here/*.t
echo needed >tests/packages.txt
mkdir -p harness && : >harness/packages.txt
printf 'first\nafl++   # for one test\n' >tests/packages_optional.txt
script harness/build </dev/null
# Packages other than afl++ are there.  apt-get and pip answer while the files "debian" and "pypi" are there.
script harness/install-packages <<'END'
#!/bin/sh
! grep -q 'afl' "$1" || [ -e afl ]
END
script build/assay <<'END'
#!/bin/sh
[ -e backends ]
END
script "$place/bin/apt-get" <<'END'
#!/bin/sh
[ -e debian ] || { echo "Could not resolve deb.debian.org" >&2; exit 100; }
END
script "$place/bin/python3" <<'END'
#!/bin/sh
mkdir -p "$3/bin"
printf '#!/bin/sh\n[ -e pypi ] || { echo "No route to PyPI" >&2; exit 1; }\n' >"$3/bin/python"
chmod +x "$3/bin/python"
END
printf '#!/bin/sh\necho 0\n' | script "$place/bin/id"
touch tests/here/test_one.c
printf '#!/bin/sh\nprintf "1..1\\nok 1 /one\\n"\n' | tee "$place/one" | script build/tests/test_one
mkdir -p build-asan/tests
script build-asan/tests/test_one <"$place/one"
script tests/here/always.t <<'END'
#!/bin/sh
printf '1..1\nok 1\n'
END
script tests/here/afl.t <<'END'
#!/bin/sh
[ -e afl ] || { echo "1..0 # SKIP AFL++ is not installed (apt-get install afl++)"; exit 0; }
printf '1..1\nok 1\n'
END
script tests/here/xla.t <<'END'
#!/bin/sh
[ -e backends ] || { printf '1..1\nok 1 - xla # SKIP xla is not installed: run `assay executors install xla`\n'; exit 0; }
printf '1..1\nok 1\n'
END
# runs STATUS DESCRIPTION "FILES THAT ARE THERE" OPTION...
runs() {
  expected=$1
  what=$2
  rm -f afl backends debian pypi
  for file in $3; do touch "$file"; done
  shift 3
  PATH="$place/bin:$PATH" tests/run "$@" >"$place/out" 2>&1 </dev/null
  status=$?
  [ "$status" -eq "$expected" ]
  ok $? "$what (exit status $status)"
}
runs 0 "run: all is there" "afl backends debian pypi" --no-skips
[ "$(tail -n 1 "$place/out")" = "== Skipped: nothing" ]
ok $? "run: and the list at its end is empty"
runs 1 "run: something could be there" "backends debian pypi" --no-skips
has '^tests/here/afl.t, all of it: .* \[no excuse\]$' "run: the list at its end says what"
has '^tests/run: debian is within reach, so that this is no excuse$' "run: why that is no excuse"
has '^Result: PASS$' "run: though no test failed"
runs 0 "run: the same by hand" "backends debian pypi"
has '\[no excuse\]$' "run: by hand the list is there too"
runs 0 "run: Debian is out of reach" "backends pypi" --no-skips
has '^tests/run: debian is out of reach: Could not resolve' "run: how it is known"
runs 1 "run: Debian is out of reach, a backend is just missing" "pypi" --no-skips
runs 0 "run: both are out of reach" "" --no-skips
has '\[pypi-unreachable\]$' "run: both excuses"
printf '#!/bin/sh\nprintf "1..1\\nnot ok 1\\n"\nexit 1\n' | script tests/here/bad.t
runs 1 "run: a test fails" "afl backends debian pypi"
runs 0 "run: by word" "afl backends debian pypi" --no-skips always
runs 2 "run: no such option" "" --nothing
grep -q -e '/tests/run" --no-skips' "$root/.ci/run"
ok $? "continuous integration runs it so"
echo "1..$number"
exit $((failures > 0))
