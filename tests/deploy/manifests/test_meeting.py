"""Nodes of the cluster that come back with other addresses find each other with the script of the manifests, also if their names come up late."""

import time

from tests.deploy.manifests.pods import NAMES, Pods, all_see_all


def test_nodes_that_all_come_back_elsewhere_meet_once_their_names_are_there(formed: Pods) -> None:
    formed.stop(*NAMES)
    formed.names.write_text("")
    formed.give_addresses(*NAMES)
    formed.start(*NAMES)
    time.sleep(3)  # no name is known yet, and each has looked
    formed.tell_names()
    assert all_see_all(formed), formed.seen()


def test_a_node_that_comes_back_elsewhere_tells_its_new_address(formed: Pods) -> None:
    formed.stop("node-1")
    formed.give_addresses("node-1")
    formed.start("node-1")  # its name leads to where it was: that it has moved is for itself to say
    assert all_see_all(formed), formed.seen()
