#!/bin/sh
# A perftest program with itself as server, on the guest's device: pair.sh ib_write_lat -n 1000
# Each polls, so each has a processor of its own.
taskset 1 "$@" -d rxe0 >server.txt 2>&1 &
# Its port, 18515, is open once the server waits for a client.
tries=0
until grep -qi ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6; do
  tries=$((tries + 1))
  if [ $tries = 3000 ]; then
    cat server.txt >&2
    exit 1
  fi
  sleep 0.1
done
taskset 2 "$@" -d rxe0 10.0.0.1
status=$?
wait
exit $status
