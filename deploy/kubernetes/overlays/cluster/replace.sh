#!/bin/sh
# By hand, in a pod whose volume was lost: it came back empty and with a new id, and the others have introduced themselves (meet.sh). Makes it the replica of a master
# that has none, and has all forget the node that it was. Does nothing while a node is away or slots are; to run it again does no harm.
set -eu
living='' others=''
myself=$(redis-cli cluster myid)
for node in $NODES; do
    id=$(redis-cli -h "$node" cluster myid 2>/dev/null) || id=''
    [ ${#id} = 40 ] || { echo "$node does not answer: nothing is done before it does"; exit 1; }
    living="$living $id"
    [ "$id" = "$myself" ] || others="$others $node"
done
nodes=''
for node in $others; do
    redis-cli -h "$node" cluster info | grep -q '^cluster_slots_ok:16384' || continue
    nodes=$(redis-cli -h "$node" cluster nodes)
    break
done
[ -n "$nodes" ] || { echo "some slots are on no node that is there: nothing is done"; exit 1; }

if redis-cli role | head -n 1 | grep -q master; then
    masters=$(echo "$nodes" | while read -r id _ flags _ _ _ _ _ slots; do
        case $flags in *master*) [ -z "$slots" ] || echo "$id" ;; esac
    done)
    for master in $masters; do
        echo "$nodes" | grep -v fail | grep -q "slave $master " && continue
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            answer=$(redis-cli cluster replicate "$master" 2>&1) || true
            case $answer in OK*) echo "it follows $master" && break 2 ;; esac
            sleep 2 # it has not heard of it yet
        done
        echo "it does not follow $master: $answer"
        exit 1
    done
fi

for node in $NODES; do
    redis-cli -h "$node" cluster nodes | grep -v handshake | while read -r id _; do
        case "$living " in *" $id "*) ;; *) echo "$node forgets $id: $(redis-cli -h "$node" cluster forget "$id" 2>&1)" ;; esac
    done
done
