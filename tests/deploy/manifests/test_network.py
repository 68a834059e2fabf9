"""The network policies, judged as Kubernetes does: every connection that is needed is allowed on both ends, and no other."""

import ipaddress
import itertools

import pytest

from tests.deploy.manifests.reading import KUBERNETES, OVERLAYS, Object, documents, labels_of, objects, of_kind, with_pods

ELSEWHERE: Object = {}
PROMETHEUS = {"umpire.io/watches": "yes"}
DNS = {"kubernetes.io/metadata.name": "kube-system"}
WORKER, ENVOY, REDIS, FORMING = ("umpire-worker", "umpire-envoy", "umpire-redis", "umpire-redis-form")
OF_WORKERS = {(ENVOY, WORKER, 8080), (ENVOY, WORKER, 50051), (ENVOY, WORKER, 9464), (WORKER, REDIS, 6379)}
NEEDED = {
    "single": OF_WORKERS,
    "cluster": OF_WORKERS | {(REDIS, REDIS, 6379), (REDIS, REDIS, 16379), (FORMING, REDIS, 6379)},
}
PORTS = (8080, 50051, 9464, 8443, 9901, 9902, 6379, 16379)


class Network:
    """Which connections the policies of an overlay let through."""

    def __init__(self, overlay: str, *components: str) -> None:
        found = objects(overlay)
        for component in components:
            found += documents(KUBERNETES / "components" / component / "network.yaml")
        self.policies = [policy["spec"] for policy in of_kind(found, "NetworkPolicy")]
        self.pods = {labels_of(item)["app.kubernetes.io/name"]: labels_of(item) for item in with_pods(found)}

    def lets_out(self, pod: str, port: int, *, to: str = "", namespace: Object | None = None) -> bool:
        return self._passes("Egress", "egress", "to", pod, to, namespace, port)

    def lets_in(self, pod: str, port: int, *, source: str = "", namespace: Object | None = None) -> bool:
        return self._passes("Ingress", "ingress", "from", pod, source, namespace, port)

    def connects(self, source: str, target: str, port: int) -> bool:
        return self.lets_out(source, port, to=target) and self.lets_in(target, port, source=source)

    def _passes(self, kind: str, rules: str, end: str, pod: str, other: str, namespace: Object | None, port: int) -> bool:
        about = [policy for policy in self.policies if kind in policy["policyTypes"] and selects(policy["podSelector"], self.pods[pod])]
        if not about:
            return True
        for rule in itertools.chain.from_iterable(policy.get(rules, ()) for policy in about):
            ports = {each["port"] for each in rule.get("ports", ())}
            if (not ports or port in ports) and (end not in rule or any(self._is(each, other, namespace) for each in rule[end])):
                return True
        return False

    def _is(self, peer: Object, other: str, namespace: Object | None) -> bool:
        if "ipBlock" in peer:
            return other[:1].isdigit() and ipaddress.ip_address(other) in ipaddress.ip_network(peer["ipBlock"]["cidr"])
        if "namespaceSelector" in peer:
            return namespace is not None and selects(peer["namespaceSelector"], namespace)
        return namespace is None and other in self.pods and selects(peer["podSelector"], self.pods[other])


def selects(selector: Object, labels: Object) -> bool:
    for expression in selector.get("matchExpressions", ()):
        assert expression["operator"] == "In"
        if labels.get(expression["key"]) not in expression["values"]:
            return False
    return bool(selector.get("matchLabels", {}).items() <= labels.items())


@pytest.fixture(params=OVERLAYS)
def overlay(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_pods_reach_those_that_they_need_and_nobody_else(overlay: str) -> None:
    network = Network(overlay)
    connections = {(a, b, port) for a, b in itertools.product(network.pods, repeat=2) for port in PORTS if network.connects(a, b, port)}
    # Envoy takes calls from anywhere; pods may not make them all the same.
    assert connections == NEEDED[overlay]


def test_from_elsewhere_callers_reach_envoy_and_prometheus_the_metrics(overlay: str) -> None:
    network = Network(overlay)
    assert {(pod, port) for pod in network.pods for port in PORTS if network.lets_in(pod, port, namespace=ELSEWHERE)} == {(ENVOY, 8443)}
    assert {(pod, port) for pod in network.pods for port in PORTS if network.lets_in(pod, port, namespace=PROMETHEUS)} == {
        (ENVOY, 8443),
        (ENVOY, 9902),
        (WORKER, 9464),
    }


def test_nobody_reaches_out_but_for_names(overlay: str) -> None:
    network = Network(overlay)
    for pod in network.pods:
        assert not [port for port in (*PORTS, 53, 80, 443) if network.lets_out(pod, port, namespace=ELSEWHERE)]
        assert network.lets_out(pod, 53, namespace=DNS)


def test_with_the_component_for_names_all_pods_reach_a_dns_on_the_node_and_that_of_openshift_and_nothing_else(overlay: str) -> None:
    without, network = Network(overlay), Network(overlay, "dns")
    openshift = {"kubernetes.io/metadata.name": "openshift-dns"}
    for pod in network.pods:
        for address in ("169.254.20.10", "10.96.0.10"):
            assert not without.lets_out(pod, 53, to=address)
            assert network.lets_out(pod, 53, to=address)
            assert not [port for port in (*PORTS, 80, 443, 5353) if network.lets_out(pod, port, to=address)]
        assert not network.lets_out(pod, 53, to="169.254.169.254"), "where the clouds keep their machines' secrets"
        assert network.lets_out(pod, 5353, namespace=openshift)
        assert not [port for port in (*PORTS, 53, 80, 443) if network.lets_out(pod, port, namespace=openshift)]
