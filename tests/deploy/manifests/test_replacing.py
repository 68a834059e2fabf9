"""What an operator, and a pod that is about to stop, do with the scripts of the cluster's manifests: a node replaces one that was lost; a master hands over."""

import shutil

from tests.deploy.manifests.pods import Pods, all_see_all, follows, is_whole, wait_until

ANOTHER_PASSWORD = "1e" * 24


def test_a_node_that_has_lost_its_volume_takes_its_old_place_and_the_old_one_is_forgotten(with_a_replica: Pods) -> None:
    first, _, third = with_a_replica.clients()
    with_a_replica.stop("node-1")
    assert with_a_replica.run("node-0", "replace.sh").returncode == 1, "a node that is away may come back"
    shutil.rmtree(with_a_replica.folder / "node-1")
    (with_a_replica.folder / "node-1").mkdir()
    with_a_replica.give_addresses("node-1")
    with_a_replica.start("node-1")
    with_a_replica.tell_names()
    wait_until(lambda: len(with_a_replica.seen()[1]) > 1)  # the others miss one, and introduce themselves
    done = with_a_replica.run("node-1", "replace.sh")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert with_a_replica.client("node-1").info("replication")["role"] == "slave"
    assert all_see_all(with_a_replica), with_a_replica.seen()
    again = with_a_replica.run("node-1", "replace.sh")
    assert (again.returncode, again.stdout) == (0, "")
    assert is_whole(first)
    assert is_whole(third)


def test_nothing_is_forgotten_while_slots_are_on_no_node(formed: Pods) -> None:
    done = formed.run("node-1", "replace.sh")
    assert (done.returncode, done.stdout) == (1, "some slots are on no node that is there: nothing is done\n")


def test_a_master_hands_over_to_a_replica_that_knows_the_new_password_only(with_a_replica: Pods) -> None:
    for client in with_a_replica.clients():
        client.execute_command("ACL SETUSER", "default", f">{ANOTHER_PASSWORD}")
        client.config_set("masterauth", ANOTHER_PASSWORD)
    with_a_replica.stop("node-1")
    with_a_replica.start("node-1", password=ANOTHER_PASSWORD)
    replica = with_a_replica.client("node-1", ANOTHER_PASSWORD)
    wait_until(lambda: follows(replica))
    wait_until(lambda: (with_a_replica.addresses["node-1"], True) in with_a_replica.seen("node-0")[0])
    with_a_replica.run("node-0", "hand-over.sh")
    assert replica.info("replication")["role"] == "master"
