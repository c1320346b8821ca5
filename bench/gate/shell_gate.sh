#!/usr/bin/env bash
# What people write by hand to start servers one after the other, and what antifreeze-run is measured against: a lock, a
# loop that asks /health, a fixed sleep.
#
#   shell_gate.sh LOCK URL INTERVAL SETTLE CMD ARGS...
#
# SHELL_GATE_LOG names a file that gets one line, the wall clock in seconds, when the sleep is over: for the measurement.
set -u
lock=$1 url=$2 interval=$3 settle=$4
shift 4

exec 9>"$lock"
flock 9
"$@" 9>&- &
child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM INT
until curl -sf -o /dev/null --max-time 5 "$url"; do
  kill -0 "$child" 2>/dev/null || break
  sleep "$interval"
done
sleep "$settle"
[[ -n ${SHELL_GATE_LOG:-} ]] && echo "$EPOCHREALTIME" >>"$SHELL_GATE_LOG"
exec 9>&-
wait "$child"
