#!/bin/sh
# Wattline: report the start and the end of a Slurm job on this node, with its GPUs. For slurmd's Prolog and Epilog.
# It never fails a job and delays one by 5 s at most, whatever the server does.
#
# WATTLINE_URL, WATTLINE_TOKEN, WATTLINE_CLUSTER and WATTLINE_NODE_PREFIX come from the environment or this file:
settings=${WATTLINE_SLURM_ENV:-/etc/wattline/slurm.env}

# shellcheck disable=SC1090
[ -r "$settings" ] && . "$settings"

# UUIDs of the job's GPUs on this node where nvidia-smi reports them, else their indices.
gpus() {
  [ -n "$SLURM_JOB_GPUS" ] || return
  uuids=$(timeout 2 nvidia-smi -i "$SLURM_JOB_GPUS" --query-gpu=uuid --format=csv,noheader 2>/dev/null | paste -sd , -)
  case $uuids in GPU-*) echo "$uuids" ;; *) echo "$SLURM_JOB_GPUS" ;; esac
}

report() {
  path=$1
  shift
  printf 'Authorization: Bearer %s\n' "${WATTLINE_TOKEN:-none}" |
    curl --silent --fail --output /dev/null --connect-timeout 1 --max-time 3 --header @- --request POST --get \
      --data-urlencode "job_id=$SLURM_JOB_ID" \
      --data-urlencode "node=${SLURMD_NODENAME:-$(hostname -s)}" \
      --data-urlencode "cluster=${WATTLINE_CLUSTER:-$SLURM_CLUSTER_NAME}" \
      --data-urlencode "node_prefix=$WATTLINE_NODE_PREFIX" \
      "$@" "${WATTLINE_URL:-http://127.0.0.1:8000}/api/v1/jobs/slurm/$path" ||
    logger -t wattline "$path of job $SLURM_JOB_ID did not reach ${WATTLINE_URL:-the server} (curl: $?)"
}

case ${1:-$SLURM_SCRIPT_CONTEXT} in
prolog*)
  report prolog \
    --data-urlencode "nodelist=${SLURM_JOB_NODELIST:-$SLURM_NODELIST}" \
    --data-urlencode "cpus_per_node=$SLURM_JOB_CPUS_PER_NODE" \
    --data-urlencode "gpus=$(gpus)" \
    --data-urlencode "name=$SLURM_JOB_NAME" \
    --data-urlencode "user=$SLURM_JOB_USER" \
    --data-urlencode "account=$SLURM_JOB_ACCOUNT" \
    --data-urlencode "partition=$SLURM_JOB_PARTITION" \
    --data-urlencode "restart=${SLURM_JOB_RESTART_COUNT:-0}" \
    ${SLURM_JOB_START_TIME:+--data-urlencode "start=${SLURM_JOB_START_TIME}000"}
  ;;
epilog*) # for a requeued job SLURM_JOB_RESTART_COUNT is already the next one, so it is not sent
  report epilog ${SLURM_JOB_EXIT_CODE:+--data-urlencode "exit_code=$SLURM_JOB_EXIT_CODE"}
  ;;
esac >/dev/null 2>&1
exit 0
