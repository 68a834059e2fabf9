"""What an operator, and a pod that is about to stop, do with the scripts of the cluster's manifests: a node replaces one that was lost; a master hands over."""

import shutil

import pytest
from redis import Redis

from tests.deploy.manifests.pods import Pods, all_see_all, wait_until

ANOTHER_PASSWORD = "1e" * 24


@pytest.fixture
def serving(formed: Pods) -> Pods:
    """Two masters with half of the slots each, and a replica of the first."""
    first, _, third = formed.clients()
    first.execute_command("CLUSTER ADDSLOTSRANGE", 0, 8191)
    third.execute_command("CLUSTER ADDSLOTSRANGE", 8192, 16383)
    follow(formed, "node-1", first.execute_command("CLUSTER MYID").decode())
    wait_until(lambda: all(is_whole(client) for client in formed.clients()))
    return formed


def follow(pods: Pods, name: str, master: str) -> None:
    client = pods.client(name)
    client.execute_command("CLUSTER REPLICATE", master)
    wait_until(lambda: follows(client))


def follows(client: Redis) -> bool:
    """Whether it has all of its master, and has written it down: before that it does not stop either."""
    info = client.info()
    return info.get("master_link_status") == "up" and not info["aof_rewrite_in_progress"] and not info["aof_rewrite_scheduled"]


def is_whole(client: Redis) -> bool:
    return dict(client.execute_command("CLUSTER INFO"))["cluster_state"] == "ok"


def test_a_node_that_has_lost_its_volume_takes_its_old_place_and_the_old_one_is_forgotten(serving: Pods) -> None:
    first, _, third = serving.clients()
    serving.stop("node-1")
    assert serving.run("node-0", "replace.sh").returncode == 1, "a node that is away may come back"
    shutil.rmtree(serving.folder / "node-1")
    (serving.folder / "node-1").mkdir()
    serving.give_addresses("node-1")
    serving.start("node-1")
    serving.tell_names()
    wait_until(lambda: len(serving.seen()[1]) > 1)  # the others miss one, and introduce themselves
    done = serving.run("node-1", "replace.sh")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert serving.client("node-1").info("replication")["role"] == "slave"
    assert all_see_all(serving), serving.seen()
    again = serving.run("node-1", "replace.sh")
    assert (again.returncode, again.stdout) == (0, "")
    assert is_whole(first)
    assert is_whole(third)


def test_nothing_is_forgotten_while_slots_are_on_no_node(formed: Pods) -> None:
    done = formed.run("node-1", "replace.sh")
    assert (done.returncode, done.stdout) == (1, "some slots are on no node that is there: nothing is done\n")


def test_a_master_hands_over_to_a_replica_that_knows_the_new_password_only(serving: Pods) -> None:
    for client in serving.clients():
        client.execute_command("ACL SETUSER", "default", f">{ANOTHER_PASSWORD}")
        client.config_set("masterauth", ANOTHER_PASSWORD)
    serving.stop("node-1")
    serving.start("node-1", password=ANOTHER_PASSWORD)
    replica = serving.client("node-1", ANOTHER_PASSWORD)
    wait_until(lambda: follows(replica))
    wait_until(lambda: (serving.addresses["node-1"], True) in serving.seen("node-0")[0])
    serving.run("node-0", "hand-over.sh")
    assert replica.info("replication")["role"] == "master"
