#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# all_reduce and reduce_scatter on several devices and threads: who reduces with whom under each grouping,
# campaigns, what is refused, replicas held against each other, and planted faults of all that.  Backends
# are skipped where they are not installed (workers.t installs them).
root=$(cd "$(dirname "$0")/../../.." && pwd)
workers=$root/harness/exec/workers
. "$(dirname "$0")/../checks.sh"

python3 "$root/tests/cli/process_groups.py" "$workers/shared_programs" >out 2>err
[ $? -eq 0 ] && [ ! -s out ]
ok $? "groups of processes: the specification's examples, random ones, and the threads that they need"
mkdir planted
# Faulty: the partitions of a replica come together, as XLA has them.
sed 's/for number in range(partitions) for replica in group\]/for replica in group for number in range(partitions)]/' \
  "$workers/shared_programs/process_groups.py" >planted/process_groups.py
python3 "$root/tests/cli/process_groups.py" planted >out 2>err
like out '^and_partition: ' "groups of processes: a planted order of partitions is seen"

# ready NAME: whether it is installed; if not, a skipped check with the reason.
ready() {
  "$ASSAY" replay 'stablehlo.convert f32[] -> f64[] : 3f800000' --executor "$1" >out 2>err </dev/null
  grep -q 'is not installed' err || return 0
  count=$((count + 1))
  echo "ok $count - $1 # SKIP not installed"
  return 1
}

# replays_as EXECUTOR CASE PATTERN DESCRIPTION: a line that replaying the case prints.
replays_as() {
  "$ASSAY" replay "$2" --executor "$1" >out 2>err </dev/null
  like out "$3" "$1: $4"
}

numbers='00000001000000020000000400000008'
all='stablehlo.all_reduce replica_groups='
two='num_partitions=2 body=add i32[4] -> i32[4]'
parts='scatter_dimension=0 body=add i32[4,2] -> i32[4,1]'
pairs='0000000100000010000000020000002000000004000000400000000800000080'

# campaign EXECUTOR: cases of both ops conform, and nothing ends the backend.
campaign() {
  "$ASSAY" run --executor "$1" --op stablehlo.all_reduce --op stablehlo.reduce_scatter --cases 300 \
    --contract backend,ftz=both --json >out 2>err </dev/null
  [ $? -ne 2 ]
  ok $? "$1: a campaign ends"
  [ "$(json out 'my %n; $n{$_->{outcome}} += $_->{cases} for @{$d->{counters}}; $n{conforms} > 0.4 * 300 ? 1 : 0')" = 1 ]
  ok $? "$1: most of what it takes conforms"
  ! grep -q SIG out
  ok $? "$1: and nothing ends its process"
}

if ready xla; then
  conforms='^xla: conforms'
  replays_as xla "${all}[[3,0],[1,2]] body=add i32[4] -> i32[4] : $numbers" "$conforms" "replicas"
  replays_as xla "${all}[[2,0,1],[3]] body=add i32[4] -> i32[4] : $numbers" "$conforms" "groups of two sizes"
  replays_as xla "${all}[[1,0]] $two : $numbers" "$conforms" "replicas of two partitions, each by itself"
  replays_as xla "${all}[[0],[1]] channel_id=1 $two : $numbers" "$conforms" "with all their partitions"
  replays_as xla "${all}[[0,3],[2,1]] channel_id=1 use_global_device_ids=true $two : $numbers" "$conforms" \
    "processes by their numbers"
  replays_as xla "stablehlo.reduce_scatter replica_groups=[[1,0],[2,3]] $parts : $pairs" "$conforms" "parts"
  replays_as xla "stablehlo.reduce_scatter replica_groups=[[0],[1]] channel_id=1 num_partitions=2 $parts : $pairs" \
    "$conforms" "parts of partitions"
  replays_as xla "${all}[[0,1]] body=add f32[2] f16[2,3] -> f32[2] f32[2,3] : 3f80000040000000 : 3c003c003c003c003c003c00" \
    'reason: .*one type' "no wider result"
  replays_as xla "${all}[[0,1]] num_partitions=2 body=add i32[4] i32[4] -> i32[4] i32[4] : $numbers : $numbers" \
    'reason: .*several operands' "not several operands of several partitions"
  replays_as xla "${all}[[0,1]] body={v0=abs(a0);v1=abs(b0);v2=maximum(v0,v1);return(v2)} f32[2] -> f32[2] : 3f800000c0000000" \
    'reason: .*Unsupported reduction computation' "no body that XLA has no name for"
  campaign xla
  run 0 "xla: replicas get the same bits" invariance --executor xla --op stablehlo.all_reduce --property replica \
    --type 'f32' --cases 60
  like out '^  replica  *[1-9][0-9]*  *0 .*holds$' "xla: that was checked"

  # The same worker, with a fault in how a case is taken apart and put together.
  python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/jax/bin/python
  cat >planted.py <<EOF
import sys
sys.path.insert(0, "$workers")
import numpy as np
import assay_worker, xla_worker
from shared_programs import collective_program
from xla_backend import xla_collective
options = assay_worker._parse_options(sys.argv[1:])
fault, join = options.pop("fault"), collective_program.Collective.join
def reversed_join(results):
    return join([list(parts)[::-1] for parts in results])
def nudged_join(results):
    joined = join(results)
    for result in joined:
        bits = result[-1:].view(np.uint32)
        bits += 1
    return joined
faults = {"reversed": reversed_join, "nudged": nudged_join}
collective_program.Collective.join = staticmethod(faults[fault])
sys.argv[1:] = []
assay_worker.main(xla_worker.Xla)
EOF
  planted="proc:'$python' planted.py fault="
  replays_as "${planted}reversed" "${all}[[0],[1,2],[3]] body=add i32[4] -> i32[4] : $numbers" 'diverges, value' \
    "a planted order of processes is seen"
  run 1 "a planted replica that differs" invariance --executor "${planted}nudged" --op stablehlo.all_reduce \
    --property replica --type f32 --cases 60
  like out 'replica FAILED; the property: all replicas of a group get the same bits' "a planted replica: told"
  like out '^  replica:  result 0 at .* is 0x' "a planted replica: its bits"
fi

# rings EXECUTOR: the groupings and parts of backends whose processes are in groups of one axis.
rings() {
  cat >lines <<EOF
${all}[[3,0],[1,2]] body=add i32[4] -> i32[4] : $numbers
${all}[[2,0,1],[3]] body=add i32[4] -> i32[4] : $numbers
${all}[[0],[1]] channel_id=1 $two : $numbers
${all}[[0,3],[2,1]] channel_id=1 use_global_device_ids=true $two : $numbers
stablehlo.reduce_scatter replica_groups=[[1,0],[2,3]] $parts : $pairs
stablehlo.reduce_scatter replica_groups=[[0],[1]] channel_id=1 num_partitions=2 $parts : $pairs
${all}[[1,0]] body=maximum f16[2] f16[2,2] -> f16[2] f16[2,2] : 3c004000 : 3c0040003c004400
EOF
  "$ASSAY" replay - --executor "$1" <lines >out 2>err
  [ "$(grep -c "^$1: conforms" out)" -eq "$(grep -c . lines)" ]
  ok $? "$1: all groupings, groups of two sizes, parts, two operands"
  "$ASSAY" run --executor "$1" --op stablehlo.all_reduce --op stablehlo.reduce_scatter --cases 100 \
    --contract backend,ftz=both --json >out 2>err </dev/null
  [ "$(json out 'my %n; $n{$_->{outcome}} += $_->{cases} for @{$d->{counters}}; $n{conforms} > 80 ? 1 : 0')" = 1 ]
  ok $? "$1: most of what it takes conforms"
  ! grep -q SIG out
  ok $? "$1: and nothing ends its process"
  run 0 "$1: replicas get the same bits" invariance --executor "$1" --op stablehlo.all_reduce --property replica \
    --type 'f32' --cases 30
  like out '^  replica  *[1-9][0-9]*  *0 .*holds$' "$1: that was checked"
}

# refuses EXECUTOR: the case of each line of `lines`, with the reason in the same line of `reasons`.
refuses() {
  "$ASSAY" replay - --executor "$1" <lines >out 2>err
  grep '^  reason: ' out | paste - reasons >both
  [ "$(wc -l <both)" -eq "$(grep -c . lines)" ] && awk -F '\t' 'index($1, $2) == 0 { exit 1 }' both
  ok $? "$1: refused, with reasons"
}

if ready jax; then
  rings jax
  cat >lines <<EOF
${all}[[0,1]] body=add f32[2] f16[2,1] -> f32[2] f32[2,1] : 3f80000040000000 : 3c003c00
${all}[[0,1]] body={v0=add(a0,b0);return(v0)} f32[2] -> f32[2] : 3f80000040000000
${all}[[0,1]] body=multiply f32[2] -> f32[2] : 3f80000040000000
EOF
  printf '%s\n' 'type of its operand' 'no stablehlo.all_reduce by {' 'no stablehlo.all_reduce by multiply' >reasons
  refuses jax
fi

if ready torch; then
  rings torch
  seventeen=$(seq -s, 0 16)
  cat >lines <<EOF
${all}[[0,1]] body=add f32[2] f16[2,1] -> f32[2] f32[2,1] : 3f80000040000000 : 3c003c00
${all}[[0,1]] body={v0=add(a0,b0);return(v0)} f32[2] -> f32[2] : 3f80000040000000
${all}[[0,1]] body=add i1[2] -> i1[2] : 11
${all}[[0,1]] body=add i16[2] -> i16[2] : 00010002
${all}[[$seventeen]] body=add i8[17] -> i8[17] : $(printf '01%.0s' $(seq 17))
EOF
  printf '%s\n' 'type of its operand' 'no reduction of f32 by {' 'booleans as bytes' 'no add of i16' \
    'groups of at most 16 processes' >reasons
  refuses torch
  replays_as torch "${all}[[0,1]] body=multiply f32[2] -> f32[2] : 3f80000040000000" '^torch: conforms' "a product"

  # The same worker, whose ranks have the parts of the next.
  python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/torch/bin/python
  cat >planted_torch.py <<EOF
import sys
sys.path.insert(0, "$workers")
import assay_worker, torch_worker
from torch_backend import torch_collective
run = torch_collective.TorchCollective._run
def rotated(self, rank, operand, operation, dimension, count):
    return run(self, rank, operand.roll(1, dimension or 0), operation, dimension, count)
torch_collective.TorchCollective._run = rotated
assay_worker.main(torch_worker.Torch)
EOF
  replays_as "proc:'$python' planted_torch.py" "stablehlo.reduce_scatter replica_groups=[[1,0],[2,3]] $parts : $pairs" \
    'diverges, value' "planted parts of the next rank are seen"
fi

if ready stablehlo; then
  replays_as stablehlo "${all}[[0],[1]] body={v0=abs(a0);return(v0)} f32[2] -> f32[2] : bf80000040000000" \
    '^stablehlo: conforms' "a body that is written out, of one replica"
  replays_as stablehlo "${all}[[0],[1]] body=multiply !quant.uniform<i8:f32,0x1p+1>[2] -> !quant.uniform<i32:f32,0x1p+0>[2] : 03fe" \
    '^stablehlo: conforms' "quantized values, converted to a wider type"
  conforms='^stablehlo: conforms'
  half='scatter_dimension=0 body=add i32[2,2] -> i32[2,1] : 00000001000000020000000400000008'
  replays_as stablehlo "${all}[[0],[1],[2]] body=add i32[3] -> i32[3] : 000000010000000200000004" "$conforms" \
    "replicas by themselves"
  many=$(seq -s, 0 63)
  replays_as stablehlo "${all}[[$many]] body=add i1[64] -> i1[64] : $(printf '1%.0s' $(seq 64))" \
    "conforms\|reason: .*64 processes at a time, and [0-9]* threads" "no more threads than there are"
  if [ "$(nproc)" -ge 2 ]; then
    replays_as stablehlo "stablehlo.reduce_scatter replica_groups=[[1,0]] $half" "$conforms" "parts of replicas"
    replays_as stablehlo "stablehlo.reduce_scatter replica_groups=[[0]] channel_id=1 num_partitions=2 $half" "$conforms" \
      "parts of partitions"
    campaign stablehlo
  fi
fi

run 0 "a model: replicas" invariance --executor model:pairwise --op stablehlo.all_reduce --property replica --cases 100
like out '^  replica  *[1-9][0-9]*  *0 .*holds$' "a model: replicas get the same bits"
run 1 "a planted fault: replicas" invariance --executor canary:last_replica_in_reverse --op stablehlo.all_reduce \
  --property replica --cases 100 --db a.db
like out '^  replica .*BROKEN$' "a planted fault: replicas differ"
case=$(sed -n "s/^            assay replay '\(.*\)' --executor.*/\1/p" out | head -n 1)
run 1 "a planted fault: its smallest case is one of class replicas" replay "$case" --executor canary:last_replica_in_reverse
like out 'diverges, replicas$' "a planted fault: by its class"
run 0 "the database" query --db a.db --format csv --sql "SELECT expected FROM reproducer WHERE observed LIKE 'replica%'"
like out 'as in the other replica' "the database: whose bits they are"
finish
