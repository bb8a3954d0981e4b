#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# libassay as it is installed: a program in C and one in C++ are built against it by pkg-config and by CMake, wherever the
# folder lies; the example of the manual prints what the manual says; the library shows the header's symbols and no others.
. "$(dirname "$0")/../checks.sh"
build=$(dirname "$ASSAY")
root=$(cd "$build/.." && pwd)
page=$root/harness/docs/library.md
[ -f "$build/cmake_install.cmake" ] || { echo "1..0 # SKIP $build is no build folder"; exit 0; }
[ -f "$build/share/man/man1/assay.1" ] || { echo "1..0 # SKIP target all is not built"; exit 0; }
[ -z "$(nm -D --undefined-only "$build/libassay.so" | grep __asan)" ] || { echo "1..0 # SKIP sanitizers want programs of their own"; exit 0; }
for program in cc c++ pkg-config cmake; do
  command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed"; exit 0; }
done
unset LD_LIBRARY_PATH

cmake --install "$build" --prefix "$folder/prefix" >out 2>err
ok $? "it installs"
mv prefix moved # It may lie anywhere.
library=$(dirname "$(find moved -name libassay.so)")
export PKG_CONFIG_PATH=$folder/$library/pkgconfig
version=$("$ASSAY" --version | sed -n '1s/^assay \([0-9.]*\).*/\1/p')
[ -n "$version" ] && [ "$(pkg-config --modversion assay)" = "$version" ]
ok $? "pkg-config has the program's version, $version"

# The block of that kind in the page, by its number.
block() { # LANGUAGE NUMBER
  awk -v open="\`\`\`$1" -v wanted="$2" '
    $0 == open { found++; inside = found == wanted; next } $0 == "```" { inside = 0 } inside' "$page"
}
block c 1 >example.c
block text 1 >expected
cc -std=c11 -Wall -Wextra -Wpedantic -Werror example.c -o example $(pkg-config --cflags --libs assay)
ok $? "the example of the manual is C11 without a warning"
export LD_LIBRARY_PATH=$folder/$library
./example >out
ok "$(($? != 1))" "it ends with 1"
cmp expected out || diff expected out | sed 's/^/# /'
cmp -s expected out
ok $? "it prints what the manual says"
sed 's/k < K - 1/k < K/' example.c >right.c
cc -std=c11 right.c -o right $(pkg-config --cflags --libs assay) && ./right >out && [ ! -s out ]
ok $? "without its fault it ends with 0 and prints nothing"

# The replay line of a verdict, typed into a shell, gives the verdict again.
sed 's|printf("cause: .*|puts(assay_verdict_replay(verdict));|' example.c >replay.c
cc -std=c11 replay.c -o replay $(pkg-config --cflags --libs assay)
./replay | tail -n 1 >command.sh
ln -s "$ASSAY" assay
PATH=$PWD:$PATH sh command.sh >out
status=$?
ok "$((status != 1))" "the replay line judges it again"
like out "^diverges (value).*12 of 12 wrong" "and finds the same"

cat >both.cc <<'EOF'
#include <assay/assay.h>
#include <assay/executor_products.h>
#include <assay/executor_quantized.h>
#include <cstdio>
#include <vector>
int main() {
  assay_error_t error = {};
  error.struct_size = sizeof error;
  assay_program_handle_t *program = nullptr;
  if (assay_program_parse("stablehlo.add bf16[3] bf16[3] -> bf16[3]", &program, &error) != ASSAY_OK) return 2;
  std::vector<uint16_t> one(3, 0x3f80), two(3, 0x4000);
  assay_tensor_t operands[2] = {}, result = {};
  for (auto *tensor : {&operands[0], &operands[1], &result}) {
    tensor->struct_size = sizeof *tensor;
    if (assay_program_result_type(program, 0, tensor, &error) != ASSAY_OK) return 2;
    tensor->data = one.data();
  }
  result.data = two.data();
  assay_question_t question = {};
  question.struct_size = sizeof question;
  question.program = program;
  question.operands = operands;
  question.operand_count = 2;
  question.results = &result;
  question.result_count = 1;
  assay_context_t *context = nullptr;
  assay_verdict_t *verdict = nullptr;
  if (assay_context_new(&context, &error) != ASSAY_OK) return 2;
  if (assay_check(context, &question, &verdict, &error) != ASSAY_OK) return 2;
  assay_verdict_info_t info = {};
  info.struct_size = sizeof info;
  if (assay_verdict_info(verdict, &info, &error) != ASSAY_OK) return 2;
  std::printf("%d %s\n", info.outcome, assay_version());
  assay_verdict_free(verdict);
  assay_context_free(context);
  assay_program_free(program);
  return ASSAY_EXECUTOR_OK;
}
EOF
c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror both.cc -o both $(pkg-config --cflags --libs assay) && ./both >out
ok $? "a C++17 program takes both headers"
printf '0 %s\n' "$version" | cmp -s - out
ok $? "and sees that 1 + 1 is 2 in bf16"

# A kernel as a backend, and the library in one file: from what is installed, without the tree.
cat >kernel.c <<'EOF'
#include <assay/assay.h>
#include <assay/assay_kernel.h>
static void run(const assay_program_t *program, const void *const *operands, void *const *results) {
  const float *x = operands[0];
  float *y = results[0];
  for (int64_t i = assay_count(&program->operands[0]); i-- > 0;) y[i] = -x[i];
}
static const assay_kernel_t kernels[] = {{"mine", "stablehlo.negate", "f32 -> f32", "", NULL, run}};
ASSAY_KERNELS(kernels)
EOF
cc -std=c11 -Wall -Wextra -Werror -shared -fPIC kernel.c -o libkernel.so $(pkg-config --cflags --libs assay)
ok $? "a file of C takes assay_kernel.h and the library"
"$ASSAY" vet --op stablehlo.negate --executor dso:./libkernel.so --cases 50 >vet.tap
ok $? "and is vetted"

mkdir project
cat >project/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C CXX)
find_package(assay 0.1 REQUIRED)
add_executable(example ../right.c)
add_executable(both ../both.cc)
set_target_properties(both PROPERTIES CXX_STANDARD 17)
target_link_libraries(example PRIVATE assay::assay)
target_link_libraries(both PRIVATE assay::assay)
EOF
unset LD_LIBRARY_PATH
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$folder/moved" >log 2>&1 && cmake --build project/build >>log 2>&1
ok $? "CMake finds the package"
project/build/example && [ "$(project/build/both)" = "0 $version" ]
ok $? "and both programs run"

# What the library shows.
nm -D --defined-only "$library/libassay.so" | awk '$2 != "A" { print $3 }' | sort >shown
grep -oE '\bassay_[a-z_]+\(' moved/include/assay/assay.h | sed 's/(/@@ASSAY_1/' | sort -u >declared
cmp shown declared || diff declared shown | sed 's/^/# /'
cmp -s shown declared
ok $? "it shows what the header declares, by version, and nothing else"
readelf -d "$library/libassay.so" | grep -q 'SONAME.*\[libassay.so.0\]'
ok $? "its soname is libassay.so.0"
readelf -d "$library/libassay.so" | grep -q -E 'NEEDED.*(sqlite|OpenBLAS|dnnl|python)'
ok "$((! $?))" "it needs neither SQLite nor a backend"

# A locale with decimal commas changes nothing.
export LD_LIBRARY_PATH=$folder/$library
mkdir locales
if localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >log 2>&1; then
  sed 's|^int main(void) {|#include <locale.h>\nint main(void) { if (setlocale(LC_ALL, "") == NULL) return 3;|' example.c >comma.c
  cc -std=c11 comma.c -o comma $(pkg-config --cflags --libs assay)
  LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8 ./comma >out
  cmp -s expected out
  ok $? "a decimal comma changes nothing"
fi
finish
