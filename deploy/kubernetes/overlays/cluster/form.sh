#!/bin/sh
# Forms the cluster of $NODES, once: does nothing to one that is formed. CLUSTER MEET takes addresses, not names.
set -eu
addresses=
for node in $NODES; do
    until redis-cli -h "$node" ping 2>/dev/null | grep -q PONG; do
        echo "waiting for $node"
        sleep 2
    done
    addresses="$addresses $(getent hosts "$node" | { read -r address _ && echo "$address"; }):6379"
done
first=${NODES%% *}
if redis-cli -h "$first" cluster info | grep -q '^cluster_slots_assigned:16384'; then
    echo "it is formed"
    exit 0
fi
# shellcheck disable=SC2086 # words are what is wanted
exec redis-cli --cluster create $addresses --cluster-replicas 1 --cluster-yes
