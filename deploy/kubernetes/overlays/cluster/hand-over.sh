#!/bin/sh
# Before a master stops: its replica takes over, with nothing lost, and callers wait for a moment only.
redis-cli role | head -n 1 | grep -q master || exit 0
myself=$(redis-cli cluster myid)
redis-cli cluster nodes | while read -r _ place flags master _ _ _ link _; do
    if [ "$master" = "$myself" ] && [ "$link" = connected ] && [ "$flags" = slave ]; then
        address=${place%%:*}
        # While the password is being changed the replica may know the new one only; this pod's variable has the old one.
        REDISCLI_AUTH=$(redis-cli config get masterauth | tail -n 1)
        export REDISCLI_AUTH
        redis-cli -h "$address" cluster failover
        break
    fi
done
for _ in 1 2 3 4 5 6 7 8 9 10; do
    redis-cli role | head -n 1 | grep -q master || exit 0
    sleep 1
done
exit 0
