"""A cluster is copied and restored by the blocks of the production page, run where ``kubectl exec`` would run them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest
import yaml
from redis.crc import key_slot

from tests.deploy.manifests.pods import NAMES, Pods, all_see_all, follows, is_whole, wait_until
from tests.deploy.manifests.reading import KUBERNETES, kustomization, named, objects, pod_of
from tests.deploy.manifests.test_page import block

KEYS = [f"match-{number}" for number in range(200)]
HALF = 8192
# Where a pod would be it takes that pod's folder for /data; whatever is for Kubernetes itself is written down.
KUBECTL = f"""#!{sys.executable} -IS
import os, sys
here = os.path.dirname(os.path.abspath(sys.argv[0]))
if "--" not in sys.argv:
    with open(here + "/told", "a") as told:
        told.write("---\\n" + sys.stdin.read() if "apply" in sys.argv else "")
    sys.exit()
place = sys.argv.index("--")
node = "node-" + sys.argv[place - 1].rpartition("-")[2]
words = [word.replace("/data", here + "/" + node) for word in sys.argv[place + 1:]]
os.environ["POD_IP"] = {{name: address for address, name in map(str.split, open(os.environ["NAMES_FILE"]))}}[node]
os.execvp(words[0], words)
"""


@pytest.fixture
def run(with_a_replica: Pods) -> Callable[[str], str]:
    """Runs a part of the page, for three pods, in a folder of copies."""
    kubectl, copies = with_a_replica.folder / "kubectl", with_a_replica.folder / "copies"
    kubectl.write_text(KUBECTL)
    kubectl.chmod(0o755)
    copies.mkdir()

    def run(script: str) -> str:
        script = script.replace("0 1 2 3 4 5", "0 1 2")
        environment = os.environ | with_a_replica.environment("node-0")
        done = subprocess.run(["bash", "-u"], input=script, cwd=copies, env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def write(pods: Pods, keys: list[str]) -> None:
    first, _, third = pods.clients()
    for key in keys:
        (first if key_slot(key.encode()) < HALF else third).set(key, key)
    wait_until(lambda: first.wait(1, 1000) == 1)


def loop() -> str:
    """That part of the restoring which runs while Redis is away."""
    script = block("restore: cluster")
    return script[script.index("for n in") : script.index("done\n")] + "done\n"


@pytest.mark.parametrize("are_volumes_lost", [False, True], ids=["all was deleted", "on empty volumes"])
def test_each_pod_gets_back_its_matches_its_slots_and_its_part(with_a_replica: Pods, run: Callable[[str], str], *, are_volumes_lost: bool) -> None:
    pods = with_a_replica
    write(pods, KEYS)
    shown = run(block("backup: cluster")).splitlines()[-len(NAMES) :]
    assert [(("master" in line), line.endswith(("0-8191", "8192-16383"))) for line in shown] == [(True, True), (False, False), (True, True)]
    assert {client.config_get("auto-aof-rewrite-percentage")["auto-aof-rewrite-percentage"] for client in pods.clients()} == {"100"}
    for client in pods.clients("node-0", "node-2"):
        client.flushall()
    write(pods, ["later"])
    pods.client("node-1").execute_command("CLUSTER FAILOVER")
    wait_until(lambda: pods.client("node-1").info("replication")["role"] == "master")
    pods.stop(*NAMES)
    if are_volumes_lost:
        for name in NAMES:
            shutil.rmtree(pods.folder / name)
            (pods.folder / name).mkdir()

    run(loop())
    pods.give_addresses(*NAMES)
    pods.start(*NAMES)
    pods.tell_names()
    assert all_see_all(pods), pods.seen()
    wait_until(lambda: all(is_whole(client) for client in pods.clients()))
    first, second, third = pods.clients()
    assert {key.decode() for client in (first, third) for key in client.scan_iter()} == set(KEYS)
    assert all((first if key_slot(key.encode()) < HALF else third).get(key) == key.encode() for key in KEYS)
    wait_until(lambda: follows(second))
    assert second.dbsize() == first.dbsize()
    assert all(any(folder.glob("before-*/nodes.conf")) != are_volumes_lost for folder in (pods.folder / name for name in NAMES))


def test_the_volumes_are_reached_by_pods_that_the_namespace_lets_in_and_that_write_as_redis_does(run: Callable[[str], str], with_a_replica: Pods) -> None:
    run("\n".join(line for line in loop().splitlines() if " exec " not in line))
    made = list(yaml.safe_load_all((with_a_replica.folder / "told").read_text().removeprefix("---\n")))
    redis = named(objects("cluster"), "StatefulSet", "umpire-redis")
    (claim,) = [claim["metadata"]["name"] for claim in redis["spec"]["volumeClaimTemplates"]]
    assert [pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"] for pod in made] == [f"{claim}-umpire-redis-{number}" for number in range(3)]
    for pod in made:
        assert pod["metadata"]["namespace"] == kustomization(KUBERNETES / "base")["namespace"]
        assert pod["spec"]["securityContext"] == pod_of(redis)["securityContext"]
        (container,), (wanted,) = pod["spec"]["containers"], pod_of(redis)["containers"]
        assert container["image"] == wanted["image"]
        assert container["securityContext"].items() <= wanted["securityContext"].items()
    after = block("restore: cluster").partition("done\n")[2]
    assert f"statefulset/umpire-redis --replicas={redis['spec']['replicas']}" in after
    autoscaler = named(objects("cluster"), "HorizontalPodAutoscaler", "umpire-worker")
    assert f"deployment/umpire-worker --replicas={autoscaler['spec']['minReplicas']}" in after
