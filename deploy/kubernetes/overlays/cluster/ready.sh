#!/bin/sh
# Ready: it answers, and if it is a replica, it follows its master. A rolling update waits for that before it stops the next one.
redis-cli ping | grep -q PONG || exit 1
! redis-cli info replication | grep -q '^master_link_status:down'
