#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# slurm-campaign for real: a Slurm of one node, in a folder of its own and on the loopback device.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
skip() { echo "1..0 # SKIP $*"; exit 0; }
for program in slurmctld slurmd munged sbatch squeue; do
  command -v $program >/dev/null || skip "Slurm is not installed (apt-get install slurm-wlm munge)"
done
[ "$(id -u)" = 0 ] || skip "Slurm's daemons need root"
[ -x "$root/harness/shards/slurm-campaign" ] || skip "$ASSAY is not in a checkout's build folder"

# Daemons must not outlive the test, and no others be touched.
stop() {
  for name in slurmd slurmctld munged; do
    [ ! -s "$folder/$name.pid" ] || kill "$(cat "$folder/$name.pid")" 2>/dev/null
  done
  sleep 1
  rm -rf "$folder"
}
trap stop EXIT
export SLURM_CONF=$folder/slurm.conf
chmod 755 "$folder"
host=$(hostname -s)
port=$((20000 + $$ % 20000))

# munged refuses sockets and keys in folders that others may write, such as /tmp, without --force.
head -c 1024 /dev/urandom >munge.key
chmod 400 munge.key
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" \
  --num-threads=1 >out 2>err || skip "munged does not start: $(tail -1 err)"

mkdir state spool
cat >slurm.conf <<END
ClusterName=assay
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=fuzz Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
END
# slurmd 22.05 wants it, though no cgroup is used.
printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nCgroupMountpoint=%s/none\n' "$folder" >cgroup.conf
slurmctld >out 2>err || skip "slurmctld does not start: $(tail -1 err)"
slurmd >out 2>err || skip "slurmd does not start: $(tail -1 err)"

# wait_for SECONDS COMMAND...
wait_for() {
  tries=$(($1 * 5))
  shift
  while ! "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.2
  done
}
is_idle() { [ "$(sinfo -h -o %T)" = idle ]; }
is_done() { [ -z "$(squeue -h -t pending,running,completing)" ]; }
wait_for 30 is_idle || { sed 's/^/# /' slurmd.log slurmctld.log | tail; skip "the node does not register"; }

submit() {
  "$root/harness/shards/slurm-campaign" --shards 3 --out "$folder/shared" "$@" -- \
    --executor canary:drop_last_term --op stablehlo.reduce --time 2s --jobs 1 --seed 7 >out 2>err
}
cases() {
  "$ASSAY" query --sql 'SELECT sum(cases) FROM counter' --format csv --db "$1" | tail -1 | tr -d '\r'
}

submit --at-once 2 --sbatch --time=5
ok $? "a campaign is submitted"
like out '^shards [0-9]*$' "the number of the array"
like out '^merge [0-9]*$' "the number of the merge"
wait_for 180 is_done
ok $? "all jobs end"
# sums DESCRIPTION: the merged database has the cases of all shards.
sums() {
  sum=0
  for shard in 0 1 2; do
    part=$(cases "shared/shards/$shard/campaign.db")
    [ "${part:-0}" -gt 0 ] || part=-1000000000
    sum=$((sum + part))
  done
  [ "$(cases shared/campaign.db)" = "$sum" ]
  ok $? "$1"
}
sums "the merged database has the sum"
for case in shared/shards/*/corpus/*/*; do
  [ -s "shared/corpus/${case#shared/shards/?/corpus/}" ] || echo "$case"
done >missing
[ -n "$(ls shared/shards/*/corpus/*/*)" ] && [ ! -s missing ]
ok $? "the merged corpus has all"
like shared/log/merge.log '3 merged into' "the log of the merge"
[ -s shared/log/shard-1.log ]
ok $? "the logs of the shards"

submit
ok $? "the same campaign again"
wait_for 180 is_done
sums "it went on, and nothing is counted twice"
rm -rf shared/campaign.db* shared/corpus
submit --merge-width 2
like out '^level 1 [0-9]*$' "a tree of merges is submitted"
wait_for 180 is_done
sums "what the tree has merged is the sum"
[ "$(ls shared/tree/1)" = "$(printf '0\n1')" ] && grep -q '2 merged into' shared/log/merge-1-0.log && grep -q '2 merged into' shared/log/merge.log
ok $? "two jobs merged the shards, and a third one their results"
submit --sbatch --partition=none
[ $? -eq 3 ] && grep -q 'sbatch refuses' err
ok $? "what Slurm refuses is told"
finish
