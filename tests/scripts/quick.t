#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What tests/run --quick runs: neither installs nor slow tests, all others, and no name in tests/slow.txt without a test.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
[ -e "$root/tests/run" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }

"$root/tests/run" --list >quick 2>err
ok $? "the list"
(cd "$root" && { find tests -name 'test_*.c' | sed 's|.*/|build/tests/|; s|\.c$||'; find tests -name '*.t'; }) | sort >all
grep -v '^#' "$root/tests/slow.txt" | sed 's|^test_|build/tests/test_|' | sort >slow
sort quick slow | cmp -s - all
ok $? "each test is either quick or slow, and each slow one is there"
[ -s slow ] && ! grep -q -x -F -f slow quick
ok $? "no slow one is quick"
[ "$(wc -l <quick)" -gt 100 ]
ok $? "most are quick"

# A copy of the script, with stand-ins for all that it calls: what does it do?
mkdir -p copy/tests copy/harness copy/bin
cp "$root/tests/run" "$root/tests/slow.txt" copy/tests
echo '# None.' >copy/tests/slow_sanitized.txt
# In the order of their names: programs a, b, c and d, scripts y and z.
mkdir copy/tests/x
touch copy/tests/x/test_a.c copy/tests/x/test_b.c copy/tests/x/test_c.c copy/tests/x/test_d.c copy/tests/x/y.t copy/tests/x/z.t
printf '%s\n' '# Long.' tests/x/z.t test_c >copy/tests/long.txt
touch copy/harness/packages.txt copy/tests/packages.txt copy/tests/packages_optional.txt
stand_in() { # PATH TEXT
  printf '#!/bin/sh\n%s\n' "$2" >"copy/$1"
  chmod +x "copy/$1"
}
stand_in harness/install-packages 'echo install "$@" >>log; [ "$1" != --missing ] || echo munge slurm-wlm'
stand_in harness/build 'echo build "${ASSAY_SKIP_PACKAGES:-0}" "$@" >>log'
stand_in tests/skips :
stand_in bin/prove 'echo prove "$@" >>log'
stand_in bin/ninja :
mkdir -p copy/build copy/tests/python copy/tests/examples
stand_in tests/python/environment :
stand_in tests/examples/environment :
stand_in build/assay 'echo assay "$@" >>log'
(cd copy && PATH="$folder/copy/bin:$PATH" tests/run --quick >../said 2>../err)
ok $? "--quick ends well"
unlike copy/log "^install\|^assay" "--quick installs nothing"
like copy/log "^build 1 release all check_programs$" "--quick builds, without packages"
like copy/log "^prove " "--quick runs tests"
rm copy/log
(cd copy && PATH="$folder/copy/bin:$PATH" tests/run >../said 2>../err)
ok $? "the whole ends well"
like said "^== Installs by apt-get, without starting or enabling services: munge slurm-wlm$" "the whole announces packages"
like said "^== Installs from PyPI, unless they are there: numpy, onnxruntime, openvino, tflite, torch, xla" "the whole announces backends"
is "$(head -1 copy/log | cut -d' ' -f1,2)" "install --missing" "the whole checks what is missing first"
like copy/log "^assay executors install torch$" "the whole installs what tests need"
is "$(sed -n 's/^prove .*guard \(.*\) :: .*/\1/p' copy/log | sed 's|[a-z/-]*/||g')" \
  "z.t test_c test_a test_b test_d y.t test_a test_b test_c test_d" \
  "the whole begins with long tests, and has scripts among programs; under sanitizers none counts as long"
grep -v '^#' "$root/tests/long.txt" | sed 's|^test_|build/tests/test_|' >long
[ -s long ] && ! sort long | comm -23 - all | grep . >out
ok $? "each long test is there"
finish
