#!/bin/sh
# Beside redis-server, for as long as that runs. After a start a pod has a new address, and so may all others have, if all went down at once: while this node misses
# another one, it introduces itself to all, under the addresses that their names have now. Once would not do: the names of pods that start together come up seconds
# later, and none does while a postStart of its pod is running (kubernetes/kubernetes#85966), so this is no postStart.
# A node that was never in the cluster is left alone: form.sh wants it as it is.
while kill -0 "$PPID" 2>/dev/null; do
    sleep "${MEET_EVERY:-5}"
    redis-cli cluster nodes 2>/dev/null | grep -v -e myself -e handshake | grep -q -e ' disconnected' -e fail -e noaddr || continue
    for node in $NODES; do
        address=$(getent hosts "$node" | { read -r address _ && echo "$address"; })
        [ -z "$address" ] || redis-cli cluster meet "$address" 6379 >/dev/null
    done
done
