#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shards run where told, come home whole, go on after an interruption, and are merged; by GNU parallel
# too.  The campaign is a stand-in: `assay run` with another seed in each shard.
. "$(dirname "$0")/../cli/checks.sh"
scripts=$(cd "$(dirname "$ASSAY")/.." && pwd)/harness/shards
[ -x "$scripts/shard" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
export REAL=$ASSAY RECORD=$folder TMPDIR=$folder

cat >stand-in <<'END'
#!/bin/sh
verb=$1
shift
[ "$verb" = campaign ] || exec "$REAL" "$verb" "$@"
[ "$1 $3" = "--shard --out" ] || exit 2
index=${2%/*} out=$4
printf '%s\n' "$2" >"$RECORD/number-$index"
ls "$out" >"$RECORD/before-$index" 2>/dev/null
shift 4
for word in "$@"; do printf '<%s>\n' "$word"; done >"$RECORD/words-$index"
mkdir -p "$out/corpus/model"
echo "case of $index" >"$out/corpus/model/case-$index"
"$REAL" run --executor canary:drop_last_term --op stablehlo.reduce --cases 100 --seed $((index + 7)) \
  --db "$out/campaign.db" >/dev/null 2>&1
status=$?
[ -f "$RECORD/fail-$index" ] && exit 3
if [ -f "$RECORD/wait" ]; then
  trap 'echo finished >"$out/finished"; exit 1' INT TERM
  touch "$RECORD/waiting"
  while :; do sleep 0.1; done
fi
exit "$status"
END
chmod +x stand-in
cases() { # FOLDER: judged ones
  "$REAL" query --sql "SELECT sum(cases) FROM counter WHERE outcome IN ('conforms', 'diverges', 'failed')" \
    --format csv --db "$1/campaign.db" | tail -1 | tr -d '\r'
}

"$scripts/shard" "$folder/stand-in" "$folder/home" 1/3 --executor 'proc:a "b" '"'c'" '{}' >out 2>err
ok $? "a shard that finds something has run well"
[ "$(cat number-1)" = 1/3 ] && printf '<--executor>\n<proc:a "b" '"'c'"'>\n<{}>\n' | cmp -s - words-1
ok $? "its options arrive as they are"
[ "$(cases home/shards/1)" = 100 ] && [ -s home/shards/1/corpus/model/case-1 ]
ok $? "its database and corpus come home"
[ -z "$(ls -d assay-shard.* 2>/dev/null)" ]
ok $? "the local disk is left clean"
"$scripts/shard" "$folder/stand-in" "$folder/home" 1/3 x >out 2>err
ok $? "the shard again"
like before-1 '^campaign.db$' "it goes on from what came home"
[ "$(cases home/shards/1)" = 200 ]
ok $? "nothing is lost"
SLURM_ARRAY_TASK_ID=2 "$scripts/shard" "$folder/stand-in" "$folder/home" -/3 x >out 2>err
[ $? -eq 0 ] && [ "$(cat number-2)" = 2/3 ]
ok $? "the index of a Slurm array task"

touch fail-0
"$scripts/shard" "$folder/stand-in" "$folder/home" 0/3 x >out 2>err
[ $? -eq 3 ]
ok $? "a campaign that fails: its exit status"
[ "$(cases home/shards/0)" = 100 ]
ok $? "what it had done comes home"
rm fail-0

touch wait
"$scripts/shard" "$folder/stand-in" "$folder/stopped" 0/1 x >out 2>err &
shard=$!
while [ ! -f waiting ]; do sleep 0.1; done
kill -TERM "$shard"
wait "$shard"
[ $? -eq 0 ] && [ -s stopped/shards/0/finished ]
ok $? "told to stop, the campaign finishes and comes home"
rm wait

"$scripts/merge-shards" "$REAL" "$folder/home" 3 >out 2>err
ok $? "shards are merged"
[ "$(cases home)" = 400 ]
ok $? "the cases are the sum"
[ "$(ls home/corpus/model | wc -l)" -eq 3 ]
ok $? "corpora are merged"
"$scripts/merge-shards" "$REAL" "$folder/home" 3 >out 2>err
[ $? -eq 0 ] && [ "$(cases home)" = 400 ]
ok $? "once more changes nothing"
mv home/shards/2 home/shards/2.old
"$scripts/merge-shards" "$REAL" "$folder/home" 3 >out 2>err
[ $? -eq 0 ] && [ -d home/shards/2 ]
ok $? "a result that was being replaced is found"
"$scripts/merge-shards" "$REAL" "$folder/home" 5 >out 2>err
[ $? -eq 3 ] && grep -q 'no result of shard 3 4' err
ok $? "missing shards are told"
"$scripts/merge-shards" "$REAL" "$folder/nowhere" 2 >out 2>err
[ $? -eq 3 ]
ok $? "no shard at all is told"

# In a tree: two shards a job, then what these made, and a shard that is gone is told where it is missing.
rm -rf home/campaign.db* home/corpus
for branch in 0 1; do
  SLURM_ARRAY_TASK_ID=$branch "$scripts/merge-branch" "$REAL" "$folder/home/shards" "$folder/home/tree/1" 3 2 - >out 2>err ||
    echo "branch $branch" >>failed
done
[ ! -s failed ] && [ "$(cases home/tree/1/0)" = 300 ] && [ "$(cases home/tree/1/1)" = 100 ]
ok $? "branches merge what is theirs"
"$scripts/merge-shards" "$REAL" "$folder/home" 2 "$folder/home/tree/1" >out 2>err
[ $? -eq 0 ] && [ "$(cases home)" = 400 ] && [ "$(ls home/corpus/model | wc -l)" -eq 3 ]
ok $? "the tree has merged the sum, and all of the corpora"
[ -z "$(ls -d assay-merge.* 2>/dev/null)" ]
ok $? "no branch leaves anything on the local disk"
"$scripts/merge-branch" "$REAL" "$folder/home/shards" "$folder/home/tree/1" 5 3 1 >out 2>err
[ $? -eq 3 ] && grep -q 'none of its results' err
ok $? "a branch without a single result is told"
"$scripts/merge-branch" "$REAL" "$folder/home/shards" "$folder/home/tree/1" 4 4 0 >out 2>err
[ $? -eq 3 ] && grep -q 'no result 3' err && [ "$(cases home/tree/1/0)" = 400 ]
ok $? "a missing result is told, and the others are merged"
JOB_COMPLETION_INDEX=5 "$scripts/shard" "$folder/stand-in" "$folder/pods" -/9 x >out 2>err
[ $? -eq 0 ] && [ "$(cat number-5)" = 5/9 ]
ok $? "the index of a pod"

# refuses PROGRAM STATUS WHAT ARGUMENT...: with what to do.
refuses() {
  program=$1
  expected=$2
  what=$3
  shift 3
  ASSAY=$folder/stand-in "$scripts/$program" "$@" >out 2>err
  [ $? -eq "$expected" ] && grep -q -e "$what" err
  ok $? "$program: refused: $what"
}
refuses slurm-campaign 2 'merge-width W' --shards 2 --out x --merge-width 1 -- --time 1s
for program in parallel-campaign slurm-campaign; do
  refuses $program 2 'shards N' --out x -- --time 1s
  refuses $program 2 'shards N' --shards 0 --out x -- --time 1s
  refuses $program 2 'out DIR' --shards 2 -- --time 1s
  refuses $program 2 'options of the campaign' --shards 2 --out x
  refuses $program 2 "$program --shards" --shard 2
  refuses $program 2 'blank' --shards 2 --out x "--$([ $program = slurm-campaign ] && echo sbatch || echo parallel)" 'a b'
done

if command -v parallel >/dev/null; then
  rm -f words-*
  campaign() {
    ASSAY=$folder/stand-in "$scripts/parallel-campaign" --shards 3 --out many --parallel --jobs=2 \
      -- --executor 'proc:a "b" '"'c' \$HOME *" '{}' '{#}' >out 2>err </dev/null
  }
  touch fail-1
  campaign
  [ $? -eq 3 ]
  ok $? "parallel: a shard that fails"
  printf '<--executor>\n<proc:a "b" '"'c'"' $HOME *>\n<{}>\n' >expected
  head -3 words-2 | cmp -s - expected
  ok $? "parallel: options arrive as they are"
  [ "$(cases many)" = 300 ]
  ok $? "parallel: all are merged all the same"
  rm fail-1 number-*
  campaign
  ok $? "parallel: once more"
  [ "$(ls number-*)" = number-1 ]
  ok $? "parallel: only the shard that had failed"
  [ "$(cases many)" = 400 ]
  ok $? "parallel: it went on"
  refuses parallel-campaign 2 'campaign of 3 shards' --shards 4 --out many -- --time 1s
else
  count=$((count + 1))
  echo "ok $count # SKIP GNU parallel is not installed (apt-get install parallel)"
fi
finish
