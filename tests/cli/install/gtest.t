#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# GoogleTest and CMake users: the project examples/gtest is built against what is installed, as C++14. Right kernels pass; the
# faulty ones pass the tolerances, and are refused with all that a failure has to tell; and what assay/gtest.h can do else.
. "$(dirname "$0")/../checks.sh"
build=$(dirname "$ASSAY")
root=$(cd "$build/.." && pwd)
[ -f "$build/cmake_install.cmake" ] || { echo "1..0 # SKIP $build is no build folder"; exit 0; }
[ -f "$build/share/man/man1/assay.1" ] || { echo "1..0 # SKIP target all is not built"; exit 0; }
[ -z "$(nm -D --undefined-only "$build/libassay.so" | grep __asan)" ] || { echo "1..0 # SKIP sanitizers want programs of their own"; exit 0; }
[ -f /usr/include/gmock/gmock.h ] || { echo "1..0 # SKIP libgmock-dev is not installed: apt-get install libgmock-dev"; exit 0; }
unset LD_LIBRARY_PATH ASSAY_CASES ASSAY_SEED ASSAY_CONTRACT
export PATH=$build:$PATH

cmake --install "$build" --prefix "$folder/prefix" >out 2>err
ok $? "it installs"

# What a user's compiler may say of the headers.
strict="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
configure() { # FAULTY
  cmake -S "$root/examples/gtest" -B example -DFAULTY="$1" -DCMAKE_PREFIX_PATH="$folder/prefix" -DCMAKE_CXX_FLAGS="$strict" \
    -DCMAKE_NO_SYSTEM_FROM_IMPORTED=ON >out 2>err && cmake --build example >out 2>&1
}
configure OFF
ok $? "the example is built with find_package(assay) and find_package(GTest), without a warning"
ctest --test-dir example >out 2>err
ok $? "ctest: right kernels pass"
like out "100% tests passed.* out of 5" "all five tests ran"

configure ON
ok $? "with the planted faults"
ctest --test-dir example --output-on-failure >out 2>err
[ $? -ne 0 ]
ok $? "ctest: the faulty kernels fail"
like out "Matmul.IsCloseTo \.* *Passed" "a sum that goes through bf16 passes rtol = atol = 1e-2"
like out "LayerNorm.IsCloseTo \.* *Passed" "epsilon behind the root passes rtol = atol = 1e-4"
like out "40% tests passed, 3 tests failed out of 5" "what Assay judges fails"
like out "stablehlo.dot_general does not conform to contract 'wide': bf16\[16,128\], bf16\[128,8\] -> bf16\[16,8\]" "what does not conform"
like out "  worst: result 0 at \[3,0\], class precision" "where"
like out "    got        28.875  (0x1.cep+4)" "what came"
like out "    permitted  29 .. 29  (0x1.dp+4 .. 0x1.dp+4)" "what is permitted"
like out "    exact      29.03960" "the exact value"
like out "  36 of 128 components are wrong" "how many"
like out "  it would conform under: accumulation=either" "what it could be: of the product"
like out "  it would conform with eps_outside_sqrt=true: say so, if that is what the kernel means" "what it could be: of the norm"
like out "  case [0-9]* of seed 1, made small from stablehlo.dot_general" "a drawn case is made small"
like out "bf16\[1,3[34]\] bf16\[3[34],1\] -> bf16\[1,1\]" "to a block and a term or two: drawn cases are made small in 400 calls, not to the least"
cp out printed
python3 "$root/tests/examples/printed.py" "$root/harness/docs/examples.md" gtest printed >out 2>err
ok $? "it prints what the manual says"
grep '^ *printf ' printed >commands
[ "$(wc -l <commands)" -ge 3 ]
ok $? "each failure has a command that replays it"
refused=0
while read -r command; do
  sh -c "$command" >verdict 2>&1
  if [ $? -eq 1 ] && grep -q '^diverges' verdict; then refused=$((refused + 1)); fi
done <commands
[ "$refused" -eq "$(wc -l <commands)" ]
ok $? "which judges it again"

export PKG_CONFIG_PATH=$(dirname "$(find prefix -name assay.pc)") LD_LIBRARY_PATH=$(dirname "$(find "$folder/prefix" -name libassay.so)")
c++ -std=c++14 $strict "$root/tests/gtest/features_test.cc" -o features $(pkg-config --cflags --libs assay gmock gtest_main) >out 2>err
ok $? "assay/gtest.h is C++14 without a warning"
./features >out 2>err
ok $? "tensors, types, messages, drawn cases, misuse"
ASSAY_CONTRACT=spec ASSAY_CASES=3 ASSAY_SEED=7 ./features --gtest_filter=Cases.OfAProgram --gtest_output=xml:report.xml >out 2>err
ok $? "the environment changes what is drawn"
like report.xml 'name="assay_cases" value="3"' "the report has how many cases were judged"
ASSAY_CONTRACT=nonsense ./features --gtest_filter=Cases.OfAProgram >out 2>err
[ $? -eq 1 ] && grep -q "nonsense" out
ok $? "a contract that is none is told"
finish
