"""A master of the cluster is taken away under those who play and watch: nothing that a replica was waited for is lost, and nothing is told twice."""

import time
from collections.abc import Iterator

import pytest

from service.store.keys import Keys
from tests.faults.test_watchers import Crowd, over_grpc
from tests.service.store.redis_groups import RedisCluster, until
from tests.serving import Serving


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisCluster]:
    made = RedisCluster(tmp_path_factory.mktemp("cluster"), replicas=3)
    yield made
    made.stop()


@pytest.fixture
def served(cluster: RedisCluster) -> Iterator[Serving]:
    serving = Serving(cluster.url, workers=2, log_level="error", heartbeat="2", durability="replica").start()
    yield serving
    serving.stop()


def test_200_watchers_see_every_step_once_while_a_master_dies_and_its_replica_takes_over(cluster: RedisCluster, served: Serving) -> None:
    crowd = Crowd(served, over_grpc)
    time.sleep(1)
    key = Keys("umpire:").match(crowd.playing[0].match.match_id)
    victim = cluster.master_of(key)
    hit = [player for player in crowd.playing if cluster.master_of(Keys("umpire:").match(player.match.match_id)) is victim]
    victim.kill()
    before = [len(player.acknowledged) for player in hit]
    until(lambda: cluster.master_of(key) is not victim)
    victim.start()  # as a replica: until there is one, no move is acknowledged there
    until(lambda: all(len(player.acknowledged) > number + 3 for player, number in zip(hit, before, strict=True)))
    served.wait_until_ready()
    crowd.check()
    assert all(player.repeated for player in hit)
