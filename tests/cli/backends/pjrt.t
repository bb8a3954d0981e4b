#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# PJRT plugins: found by name where JAX looks for them, and two builds of XLA for processors for real.
# The latter are skipped, with the reason, where their packages cannot be had.
. "$(dirname "$0")/../checks.sh"
build=$(dirname "$ASSAY")
fake=$build/tests/pjrt/good.so
"$ASSAY" run --executor pjrt:/absent.so --cases 1 2>&1 | grep -q 'without pjrt_c_api.h' && {
  echo "1..0 # SKIP pjrt_c_api.h could not be fetched from PyPI"; exit 0
}
[ -e "$fake" ] || { echo "1..0 # SKIP $fake is not built"; exit 0; }
sum='stablehlo.reduce body=add dims=[0] f32[4] f32[] -> f32[]'
numbers=': 3f800000400000004040000040800000 : 41200000'

# ---- By name -------------------------------------------------------------------------------------------
# finds NAME VARIABLE...: with these variables in the environment the fake plugin has that name.
finds() {
  name=$1
  shift
  env "$@" "$ASSAY" replay "$sum $numbers" --executor "pjrt:$name" >out 2>err
  [ $? -eq 0 ] && grep -q "^pjrt:$name: conforms" out
  ok $? "$name is found by $(printf %s "$1" | cut -d= -f1)"
}
mkdir plugins site site/jax_plugins site/jax_plugins/pebble site/other site/other-1.dist-info site/slate
cp "$fake" plugins/pjrt_c_api_bead_plugin.so
cp "$fake" site/jax_plugins/pebble/pebbles.so
cp "$fake" site/slate/slates.so
touch site/slate/__init__.py site/jax_plugins/pebble/__init__.py
echo "raise SystemExit('no module of a plugin is to be run')" >site/slate/code.py
cp "$fake" site/other/libother_pjrt.so
echo "junk" >site/other/plugin_junk.so
: >site/other/plugin_empty.so
printf 'Metadata-Version: 2.1\nName: other\nVersion: 1\n' >site/other-1.dist-info/METADATA
printf '[jax_plugins]\nchalk = slate.code\nnothing = absent.module\n' >site/other-1.dist-info/entry_points.txt
printf 'other/libother_pjrt.so,,\nother/plugin_junk.so,,\nother/plugin_empty.so,,\n' >site/other-1.dist-info/RECORD
finds abacus "PJRT_NAMES_AND_LIBRARY_PATHS=none:,abacus:$fake"
finds bead "PJRT_PLUGIN_LIBRARY_PATH=/absent:$folder/plugins"
finds pebble "PYTHONPATH=$folder/site"
finds chalk "PYTHONPATH=$folder/site"
finds other "PYTHONPATH=$folder/site"

PJRT_NAMES_AND_LIBRARY_PATHS=abacus:$fake "$ASSAY" run --executor pjrt:abbacus --cases 1 >out 2>err
[ $? -eq 2 ]
ok $? "a name that is not there: exit code 2"
like err 'there is no PJRT plugin "abbacus": found abacus' "it says what is there"
run 2 "an executor that only brings plugins" run --executor pjrt-cpu --cases 1
like err 'pjrt-cpu is no executor: write pjrt:NAME' "it says what to write"

# Where a file has the name of a plugin, it is the file.
cp "$fake" abacus
run 0 "a file without a slash" replay "$sum $numbers" --executor pjrt:abacus
run 0 "with --isolate" replay "$sum $numbers" --executor pjrt:abacus --isolate
run 2 "a file that is no shared object" replay "$sum $numbers" --executor pjrt:site/other/plugin_junk.so
like err 'it does not load: ' "it says so"

# ---- XLA -----------------------------------------------------------------------------------------------
if ! "$ASSAY" executors install pjrt-cpu >out 2>err </dev/null; then
  count=$((count + 1))
  echo "ok $count - pjrt-cpu # SKIP $(tail -n 1 err | tr '#' ' ' | cut -c1-150)"
  finish
  exit
fi

site=$(ls -d "${XDG_DATA_HOME:-$HOME/.local/share}"/assay/executors/pjrt_cpu/lib/python3*/site-packages)
like out 'pjrt-cpu is installed' "pjrt-cpu is installed"

# Conversions between types of every width: an element of 2 bits takes a byte on our side.
for types in i1:f32 i2:ui64 ui2:i8 i4:f16 ui4:bf16 f8E4M3FN:f8E5M2 f64:i32 'complex<f32>:complex<f64>' f32:ui16 \
  f4E2M1FN:f32 i8:i4 ui8:ui2; do
  "$ASSAY" gen --program "stablehlo.convert ${types%:*}[3,5] -> ${types#*:}[3,5]" --cases 2 --seed 1
done >conversions 2>err
processes='replica_groups=[[2,0],[3,1]] channel_id=1 use_global_device_ids=true num_partitions=2'
for program in "stablehlo.all_reduce ${processes} body=add i32[4,6] -> i32[4,6]" \
  "stablehlo.reduce_scatter replica_groups=[[2,0,1]] scatter_dimension=0 body=maximum i32[3,6] -> i32[3,2]"; do
  "$ASSAY" gen --program "$program" --cases 2 --seed 1
done >collectives 2>err
"$ASSAY" gen --program 'stablehlo.maximum f64[5] f64[5] -> f64[5]' --cases 20 --seed 1 >maxima 2>err

for path in "$site/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so" \
  "$site/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so"; do
  plugin=$(basename "$path" .so)
  "$ASSAY" replay - --executor "pjrt:$path" --contract backend,ftz=both <conversions >out 2>err
  is "$(grep -c '^pjrt:.*: conforms' out)" "$(grep -c . conversions)" "$plugin: all types arrive and come back"
  "$ASSAY" replay - --executor "pjrt:$path?cpu_device_count=4" --contract backend,ftz=both <collectives >out 2>err
  is "$(grep -c '^pjrt:.*: conforms' out)" 4 "$plugin: collectives of 3 and of 2 x 2 processes"
  "$ASSAY" replay - --executor "pjrt:$path?cpu_device_count=2" <collectives >out 2>err
  like out '4 processes, and the client has 2 devices' "$plugin: more processes than devices"

  # XLA's own default for a processor chooses the quicker maximum, which JAX turns off.
  "$ASSAY" replay - --executor "pjrt:$path" <maxima >out 2>err
  like out '^pjrt:.*: diverges' "$plugin: some maxima of NaN or of zeros diverge"
  "$ASSAY" replay - --executor "pjrt:$path?xla_cpu_enable_fast_min_max=false" <maxima >out 2>err
  is "$(grep -c '^pjrt:.*: diverges' out)" 0 "$plugin: none does with xla_cpu_enable_fast_min_max=false"
  run 2 "$plugin: a misspelled option of the compiler" run --executor "pjrt:$path?xla_cpu_fast=true" --cases 1
  like err "xla_cpu_fast" "$plugin: it is named"
  run 3 "$plugin: a client that cannot be made" run --executor "pjrt:$path?cpu_device_count=many" --cases 1
done

# The listing has names, versions and the processor.
PATH=/usr/bin:/bin "$ASSAY" replay "$sum $numbers" --executor pjrt:xla_cpu_pjrt >out 2>err
like out '^pjrt:xla_cpu_pjrt: conforms' "xla_cpu_pjrt is found by name"
finish
