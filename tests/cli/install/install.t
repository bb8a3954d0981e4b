#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cmake --install: the program finds its plugins and workers where it was installed.
. "$(dirname "$0")/../checks.sh"
build=$(dirname "$ASSAY")
[ -f "$build/cmake_install.cmake" ] || { echo "1..0 # SKIP $build is no build folder"; exit 0; }
[ -f "$build/share/man/man1/assay.1" ] || { echo "1..0 # SKIP target all is not built"; exit 0; }

cmake --install "$build" --prefix "$folder/prefix" >out 2>err
ok $? "it installs"
for file in share/man/man1/assay.1 share/bash-completion/completions/assay \
            share/zsh/site-functions/_assay share/fish/vendor_completions.d/assay.fish \
            lib/assay/workers/xla_worker.py lib/assay/workers/requirements/jax.requirements; do
  [ -s "prefix/$file" ]
  ok $? "$file"
done
mv prefix moved # It may lie anywhere.
here=$ASSAY
ASSAY=$folder/moved/bin/assay

"$here" help --man | cmp -s - moved/share/man/man1/assay.1
ok $? "the manual page is the program's"
run 0 "the program runs" run --executor model:pairwise --cases 50
for plugin in "$build"/plugins/*_plugin.so; do
  name=$(basename "$plugin" _plugin.so)
  "$ASSAY" run --executor "$name" --cases 50 >out 2>err
  [ $? -le 1 ]
  ok $? "plugin $name is found"
done
# As far as the build's own program: a worker's environment may be absent.
"$here" run --executor onnxruntime --cases 1 --op stablehlo.reduce >out 2>err
status=$?
run "$status" "worker onnxruntime does what it does in the build folder" \
  run --executor onnxruntime --cases 1 --op stablehlo.reduce
unlike err "No such file" "worker onnxruntime: its files are there"
finish
