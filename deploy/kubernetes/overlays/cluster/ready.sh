#!/bin/sh
# Ready: it answers (MISCONF: its disk takes nothing, and what reads goes on), and if it is a replica, it follows its master. A rolling update waits for that
# before it stops the next one.
redis-cli ping | grep -q -e PONG -e MISCONF || exit 1
! redis-cli info replication | grep -q '^master_link_status:down'
