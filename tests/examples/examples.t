#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The examples in Python: right kernels pass all tests; the faulty ones pass assert_allclose at usual tolerances, and Assay refuses
# them, with the text that harness/docs/examples.md prints. Then the table of examples/compare.py.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
build=$(dirname "$ASSAY")
[ -e "$root/examples/README.md" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
[ -z "$(nm -D --undefined-only "$build/libassay.so" | grep __asan)" ] || { echo "1..0 # SKIP sanitizers want programs of their own"; exit 0; }
python=$("$root/tests/examples/environment" "$build" "$build/examples" 2>environment.log)
case $? in
  0) ;;
  4) echo "1..0 # SKIP not installed"; exit 0 ;;
  *) sed 's/^/# /' environment.log; echo "1..1"; echo "not ok 1 - the environment of the examples is made"; exit 1 ;;
esac
unset PYTHONPATH ASSAY_LIBRARY ASSAY_PROGRAM ASSAY_WORKERS
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 TRITON_INTERPRET=1 JAX_PLATFORMS=cpu COLUMNS=200

# What needs more than NumPy: a module, and the backend that brings it.
has() { # MODULE BACKEND
  "$python" -c "import $1" 2>err && return
  count=$((count + 1))
  echo "ok $count - $1 # SKIP not installed: run \`assay executors install $2\`"
  return 1
}

run_tests() { # FOLDER FAULTY: into the file FOLDER.FAULTY
  (cd "$root/examples" && FAULTY=$2 "$python" -m pytest -p no:cacheprovider -p no:gpucheck -rA -q "$1") >"$1.$2" 2>&1
}

check_example() { # FOLDER TESTS FAULTY_TESTS
  run_tests "$1" 0
  ok $? "$1: right kernels pass"
  [ "$(grep -c '^PASSED' "$1.0")" -eq "$2" ]
  ok $? "$1: all $2 tests ran"
  run_tests "$1" 1
  [ $? -eq 1 ]
  ok $? "$1: faulty kernels fail"
  [ "$(grep -c '^PASSED.*_close$' "$1.1")" -eq $(($2 - $3)) ] && ! grep -q '^FAILED.*_close' "$1.1"
  ok $? "$1: but pass assert_allclose"
  [ "$(grep -c '^FAILED.*_conforms*\(_on_drawn_cases\)* ' "$1.1")" -eq "$3" ]
  ok $? "$1: and nothing that Assay judges"
  python3 "$root/tests/examples/printed.py" "$root/harness/docs/examples.md" "$1" "$1.1" >out 2>err
  ok $? "$1: prints what the manual says"
}
check_example numpy 4 2
has torch torch && check_example triton 6 4
has jax xla && check_example pallas 2 1

"$python" "$root/examples/compare.py" --only numpy/softmax --cases 10 >out 2>err
ok $? "compare.py prints a table"
like out "^| normal, allclose | 0 | 0 |$" "by a tolerance on normal data no fault is found"
like out "^| normal, gpucheck | 0 | 0 |$" "nor by gpucheck's"
like out "^| drawn, assay | 1 | 0 |$" "by Assay it is, and nothing right is blamed"
finish
