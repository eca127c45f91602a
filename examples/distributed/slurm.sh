#!/usr/bin/env bash
# A cluster of Ray inside an allocation of Slurm, and a run on it: one Ray node per machine, the driver on the first.
#   sbatch --nodes=4 --ntasks-per-node=1 --cpus-per-task=64 --exclusive examples/distributed/slurm.sh biped_walk --minutes 60
# Without Ray: srun --ntasks-per-node=1 python examples/distributed/processes.py
#SBATCH --job-name=bellcrank
#SBATCH --signal=B:TERM@120
set -euo pipefail

port=6379
mapfile -t machines < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head="${machines[0]}"
cpus="${SLURM_CPUS_PER_TASK:-$(nproc)}"
# a job that is begun again (scontrol requeue) goes on with its run
out="${BELLCRANK_OUT:-runs/slurm-$SLURM_JOB_ID}"

srun --nodes=1 --ntasks=1 -w "$head" ray start --head --port="$port" --num-cpus="$cpus" --block &
until srun --overlap --nodes=1 --ntasks=1 -w "$head" ray status --address="$head:$port" >/dev/null 2>&1; do sleep 2; done
for machine in "${machines[@]:1}"; do
    srun --nodes=1 --ntasks=1 -w "$machine" ray start --address="$head:$port" --num-cpus="$cpus" --block &
done

resume=()
[ -e "$out/checkpoint.safetensors" ] && resume=(--resume)
srun --overlap --nodes=1 --ntasks=1 -w "$head" bellcrank train "$@" --ray "$head:$port" --out "$out" "${resume[@]}"
