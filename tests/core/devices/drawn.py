"""Random small clusters with devices and claims: the objects, the pods that need them, and the events."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.builders import (
    Manifest,
    claims,
    device,
    device_claim,
    device_class,
    device_request,
    node,
    pod,
    resource_slice,
)
from tests.core.devices.exhaustive import DOMAIN, SELECTORS

KINDS = ("plain", "pools", "network", "admin", "taints", "partitions", "capacity")
FROM_1_36 = ("taints", "partitions", "capacity")


class Drawn:
    """The objects and the timeline of a scenario. `kind`: the special feature of its devices."""

    def __init__(self, seed: int, minor: int) -> None:
        self.random = Random(seed)
        self.minor = minor
        kinds = [one for one in KINDS if minor >= 36 or one not in FROM_1_36]
        self.kind = kinds[seed % len(kinds)]
        names = [f"n{number}" for number in range(1, self.random.choice((1, 2, 2, 3)) + 1)]
        self.nodes = [node(name, cpu=100, memory="64Gi") for name in names]
        self.slices = [piece for name in names for piece in self._pool(name)]
        if self.kind == "network" or self.random.random() < 0.2:
            self.slices.append(self._network())
        self.claims: list[Manifest] = []
        self.templates: list[Manifest] = []
        self.pods: list[Manifest] = []
        for number in range(self.random.randint(2, 6)):
            self._pod(number)
        self.events = self._events(names)

    def objects(self) -> list[Manifest]:
        namespace = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "default", "labels": {"resource.kubernetes.io/admin-access": "true"}},
        }
        kinds = [namespace, *map(device_class, ("gpu", "net")), device_class("any", "true")]
        return [*kinds, *self.slices, *self.templates, *self.claims, *self.nodes, *self.pods]

    def _device(self, name: str) -> Manifest:
        random = self.random
        attributes: dict[str, Any] = {"model": random.choice(("a100", "h100", "l4"))}
        attributes |= {"root": random.choice("xyz")} if random.random() < 0.85 else {}
        attributes |= {"numa": random.randint(0, 1)} if random.random() < 0.7 else {}
        attributes |= {"link": random.random() < 0.5} if random.random() < 0.5 else {}
        found = device(name, memory=random.choice(("24Gi", "40Gi", "80Gi")), **attributes)
        if self.kind == "taints" and random.random() < 0.5:
            effect = random.choice(("NoSchedule", "NoExecute", "None"))
            found["taints"] = [{"key": random.choice("ab"), "value": random.choice(("", "v")), "effect": effect}]
        if self.kind == "partitions":
            slots = {"counters": {"slots": {"value": str(random.randint(1, 3))}}}
            found["consumesCounters"] = [{"counterSet": "card", **slots}]
        if self.kind == "capacity" and random.random() < 0.7:
            found["allowMultipleAllocations"] = True
            policies: tuple[Manifest, ...] = (
                {},
                {"requestPolicy": {"default": "8Gi", "validValues": ["8Gi", "16Gi", "24Gi"]}},
                {"requestPolicy": {"default": "4Gi", "validRange": {"min": "4Gi", "max": "20Gi", "step": "8Gi"}}},
            )
            found["capacity"]["memory"] |= random.choice(policies)
        return found

    def _pool(self, name: str) -> list[Manifest]:
        random = self.random
        devices = [self._device(f"g{number}") for number in random.sample(range(6), random.randint(1, 4))]
        if self.kind == "partitions":
            counters = [{"name": "card", "counters": {"slots": {"value": str(random.randint(2, 5))}}}]
            return [
                resource_slice(f"{name}-b", devices, pool=name, node=name, slices=2),
                resource_slice(f"{name}-a", [], pool=name, node=name, slices=2, sharedCounters=counters),
            ]
        if self.kind != "pools":
            return [resource_slice(f"{name}-s", devices, pool=name, node=name)]
        cut = random.randint(0, len(devices))
        parts = [part for part in (devices[:cut], devices[cut:]) if part]
        random.shuffle(parts)
        missing = 1 if random.random() < 0.25 else 0
        if self.minor >= 35 and len(parts) == 2 and random.random() < 0.3:
            parts[-1] = [*parts[-1], {**self._device("x"), "name": parts[0][0]["name"]}]  # the pool has it twice
        found = [
            resource_slice(f"{name}-{letter}", part, pool=name, node=name, slices=len(parts) + missing, generation=2)
            for letter, part in zip("za", parts, strict=False)
        ]
        if random.random() < 0.3:
            old = [self._device(f"old{number}") for number in range(2)]
            found.append(resource_slice(f"{name}-m", old, pool=name, node=name, generation=1))
        if random.random() < 0.4:
            more = [self._device(f"h{number}") for number in range(random.randint(1, 2))]
            found.append(resource_slice(f"{name}-second", more, pool=f"{name}-0", node=name))
        return found

    def _network(self) -> Manifest:
        devices = [device(f"f{number}", model="l4", root=self.random.choice("xy"), memory="24Gi") for number in (1, 2)]
        return resource_slice("everywhere", devices, driver="net", node=None, allNodes=True)

    def _exact(self, *, nested: bool = False) -> Manifest:
        random = self.random
        of_class = random.choice(("gpu", "gpu", "gpu", "any", "net"))
        found: Manifest = {"deviceClassName": of_class}
        if of_class == "gpu" and random.random() < 0.6:
            chosen = random.sample(list(SELECTORS), random.choice((1, 1, 2)))
            found["selectors"] = [{"cel": {"expression": one}} for one in chosen]
        if random.random() < 0.15 and (self.minor >= 36 or not nested):
            found["allocationMode"] = "All"
        elif random.random() < 0.4:
            found["count"] = random.choice((2, 2, 3))
        if self.kind == "admin" and not nested and random.random() < 0.4:
            found["adminAccess"] = True
        if self.kind == "taints" and random.random() < 0.6:
            key = {"key": random.choice("ab")} if random.random() < 0.7 else {}
            how = {"operator": "Exists"} if not key or random.random() < 0.5 else {"operator": "Equal", "value": "v"}
            effect = {"effect": random.choice(("NoSchedule", "NoExecute"))} if random.random() < 0.4 else {}
            found["tolerations"] = [{**key, **how, **effect}]
        if self.kind == "capacity" and random.random() < 0.5:
            found["capacity"] = {"requests": {"memory": random.choice(("3Gi", "10Gi", "16Gi", "30Gi"))}}
        return found

    def _spec(self) -> Manifest:
        random = self.random
        requests: list[Manifest] = []
        for number in range(random.choice((1, 1, 2, 3))):
            name = f"r{number}"
            if random.random() < 0.3:
                listed = [{"name": f"s{at}", **self._exact(nested=True)} for at in range(random.choice((2, 2, 3)))]
                requests.append({"name": name, "firstAvailable": listed})
            else:
                exact = self._exact()
                requests.append(device_request(name, exact.pop("deviceClassName"), **exact))
        constraints: list[Manifest] = []
        everything = any(
            one.get("allocationMode") == "All"
            for request in requests
            for one in [request.get("exactly") or {}, *request.get("firstAvailable", [])]
        )
        # A device that was turned down by a constraint keeps the counters it would have consumed (a mistake of
        # kube-scheduler), and one that all are asked for ends the attempt: both are recorded elsewhere.
        if self.kind not in ("partitions", "capacity") and not everything:
            for name in random.sample(("root", "numa", "model"), random.choice((0, 0, 1, 1, 2))):
                which = random.sample([one["name"] for one in requests], random.randint(1, len(requests)))
                constraints.append({"matchAttribute": f"{DOMAIN}/{name}", "requests": which})
                if random.random() < 0.4:
                    del constraints[-1]["requests"]
            single = all(one.get("exactly", {}).get("count", 1) == 1 for one in requests)
            plain = single and not any("firstAvailable" in one for one in requests)
            if self.minor >= 36 and plain and random.random() < 0.3:
                constraints.append({"distinctAttribute": f"{DOMAIN}/root"})
        found = device_claim("c", *requests, constraints=constraints)
        return {"devices": found["spec"]["devices"]}

    def _pod(self, number: int) -> None:
        random = self.random
        name = f"p{number}"
        wanted: list[Manifest] = []
        for index in range(random.choice((1, 1, 1, 2))):
            if self.claims and random.random() < 0.2:
                shared = random.choice(self.claims)["metadata"]["name"]
                if all(one.get("resourceClaimName") != shared for one in wanted):
                    wanted.append({"name": f"w{index}", "resourceClaimName": shared})
                continue
            own = f"{name}-c{index}"
            found = {**device_claim(own), "spec": self._spec()}
            if random.random() < 0.25:
                metadata = {"name": own}
                template = {
                    **found,
                    "kind": "ResourceClaimTemplate",
                    "metadata": metadata,
                    "spec": {"spec": found["spec"]},
                }
                self.templates.append(template)
                wanted += [{**claims(own, template=True)[0], "name": f"w{index}"}]
            else:
                self.claims.append(found)
                wanted.append({"name": f"w{index}", "resourceClaimName": own})
        self.pods.append(pod(name, resourceClaims=wanted))

    def _events(self, names: list[str]) -> list[Manifest]:
        random = self.random
        events: list[Manifest] = []
        for at in range(10, 10 + random.randint(0, 5)):
            if random.random() < 0.6:
                gone = random.choice(self.pods)["metadata"]["name"]
                if all(one.get("delete", {}).get("name") != gone for one in events):
                    events.append({"at": at, "delete": {"kind": "Pod", "name": gone}})
            elif self.kind in ("plain", "network", "admin") and random.random() < 0.6:
                name = random.choice(names)
                more = [self._device(f"late{number}") for number in range(random.randint(1, 3))]
                events.append({"at": at, "create": resource_slice(f"{name}-late-{at}", more, node=name)})
        return events
