#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Libraries of one's own choice behind the plugins of OpenBLAS and oneDNN, releases that wheels bring, and variables of
# the environment that choose kernels.
. "$(dirname "$0")/../checks.sh"
here() { [ -e "$(dirname "$ASSAY")/plugins/$1_plugin.so" ]; }
here openblas || { echo "1..0 # SKIP no plugin openblas: apt-get install libopenblas-dev"; exit 0; }
dot='stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[4] f32[4] -> f32[] : 3f800000428000004280000042800000 : 3f800000428000004280000042800000'

# ---- By path -------------------------------------------------------------------------------------------
run 0 "the default" replay "$dot" --executor openblas --json
json out '$d->[0]{version}' >default
library=$(ldconfig -p | sed -n 's/.*libopenblas\.so\.0 .*=> //p' | head -n 1)
run 0 "by its path" replay "$dot" --executor "openblas?library=$library" --json
[ "$(json out '$d->[0]{version}')" = "$(cat default)" ]
ok $? "by its path: the same library"
run 3 "no library" replay "$dot" --executor 'openblas?library=/nowhere/libx.so'
like err "cannot load /nowhere/libx.so" "no library: which"
run 3 "another prefix" replay "$dot" --executor "openblas?library=$library,prefix=scipy_"
like err "no function scipy_cblas_sgemm.*option prefix" "another prefix: what to look at"
run 3 "no cblas" replay "$dot" --executor 'openblas?library=libm.so.6'
like err "no function cblas_sgemm" "no cblas: says so"
if here onednn; then
  run 0 "oneDNN by its name" replay "$dot" --executor 'onednn?library=libdnnl.so.2'
  run 3 "no oneDNN" replay "$dot" --executor "onednn?library=$library"
  like err "no function dnnl_" "no oneDNN: says so"
fi

# A cblas of nobody in particular, which a compiler makes of sums in the wrong order of magnitude: it is wrong, and its
# file's name is its version.
cat >other.c <<'END'
float cblas_sdot(int n, const float *x, int dx, const float *y, int dy) {
  float sum = 0;
  for (int i = 0; i + 1 < n; i++) sum += x[i * dx] * y[i * dy];  /* All but the last. */
  return sum;
}
#define NONE(name) void name(void) {}
NONE(cblas_sgemm) NONE(cblas_dgemm) NONE(cblas_cgemm) NONE(cblas_zgemm) NONE(cblas_sgemv) NONE(cblas_dgemv)
NONE(cblas_cgemv) NONE(cblas_zgemv) NONE(cblas_ddot) NONE(cblas_dsdot) NONE(cblas_cdotu_sub) NONE(cblas_zdotu_sub)
END
"${CC:-clang-19}" -shared -fPIC -o libother.so.7 other.c 2>err
ok $? "a library of our own"
run 1 "a library of our own" replay "$dot" --executor "openblas?library=$folder/libother.so.7,routine=dot" --json
[ "$(json out '$d->[0]{version}')" = "openblas libother.so.7" ]
ok $? "a library of our own: its file is its version"
run 2 "threads of a library that has no way to set them" replay "$dot" \
  --executor "openblas?library=$folder/libother.so.7,routine=dot,threads=2"
like err "neither OpenBLAS, MKL nor BLIS" "threads of a library that has no way to set them: says so"
# What a library needs may lie beside it, and nowhere else.
echo 'float helper(float x) { return x; }' >helper.c
sed 's/return sum;/extern float helper(float); return helper(sum);/' other.c >needs.c
"${CC:-clang-19}" -shared -fPIC -Wl,-soname,libassayhelper.so -o libassayhelper.so helper.c && "${CC:-clang-19}" -shared -fPIC -o libneeds.so needs.c -L. -lassayhelper
run 1 "what it needs is beside it" replay "$dot" --executor "openblas?library=$folder/libneeds.so,routine=dot"
rm libassayhelper.so
run 3 "what it needs is nowhere" replay "$dot" --executor "openblas?library=$folder/libneeds.so,routine=dot"
like err "libassayhelper.so: cannot open shared object" "what it needs is nowhere: which"

# ---- Releases ------------------------------------------------------------------------------------------
run 3 "a release that is not installed" replay "$dot" --executor mkl@1.2
like err "mkl@1.2 is not installed: run .assay executors install mkl==1.2" "a release that is not installed: what to do"
# wheel NAME WORDS: a library out of a wheel, an executor of another version.
wheel() {
  if "$ASSAY" executors install "$1" >out 2>err </dev/null; then
    release=$(sed -n "s/^\\($1@[^ ]*\\) is installed.*/\\1/p" out)
    run 0 "$2 of a wheel" replay "$dot" --executor "$release" --json
    [ "$(json out '$d->[0]{version}')" != "$(cat default)" ]
    ok $? "$2 of a wheel: another version"
    run 0 "$2 of a wheel, with options" replay "$dot" --executor "$release?routine=gemv"
  else
    count=$((count + 1))
    echo "ok $count - $2 of a wheel # SKIP \`assay executors install $1\` failed: $(tail -n 1 err | tr '#' ' ' | cut -c1-100)"
  fi
}
wheel openblas OpenBLAS
wheel blis BLIS

# ---- The environment -----------------------------------------------------------------------------------
OPENBLAS_CORETYPE=Prescott run 0 "a variable" replay "$dot" --executor openblas --executor model:pairwise
like err "OPENBLAS_CORETYPE=Prescott of the environment chooses kernels of openblas" "a variable: a warning"
unlike err "of model:" "a variable: not of others"
OPENBLAS_CORETYPE=Prescott run 0 "recorded" run --executor openblas --op stablehlo.dot_general --cases 3 --db env.db --fail-on never
run 0 "recorded" query --sql 'SELECT hardware FROM executor' --db env.db
like out "\[OPENBLAS_CORETYPE=Prescott\]" "recorded: with the hardware"
finish
