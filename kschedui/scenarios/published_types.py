"""Instance types from the vendors' published lists, as `instanceTypes` of a Karpenter document.

The output of the vendors' own command lines and their price lists are read, and recognised by their form; several of
them together give the size of a type, its zones and its prices. Nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Any

import msgspec

Manifest = Mapping[str, Any]
AWS_ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}
AWS_GPUS = {"NVIDIA": "nvidia.com/gpu", "AMD": "amd.com/gpu"}
AWS_LABEL, AZURE_LABEL = "karpenter.k8s.aws/instance-", "karpenter.azure.com/sku-"
AWS_NAME = re.compile(r"([a-z]*)(\d*)")  # category and generation, as of m5.large
AZURE_FAMILY = re.compile(r"Standard_([A-Z]+)")
ON_DEMAND, SPOT = "on-demand", "spot"
READ = (
    "the output of `aws ec2 describe-instance-types`, `describe-instance-type-offerings` or "
    "`describe-spot-price-history`, an AWS price list, the output of `az vm list-skus`, prices of the Azure Retail "
    "Prices API, or a file for Karpenter's --instance-types-file-path"
)


class UnknownList(Exception):
    """A document is none of the supported lists."""


class PublishedType(msgspec.Struct):
    """An instance type from the lists.

    `zones` are those that offer it, empty if no list names them; `kinds` are its capacity types.
    """

    resources: dict[str, str]
    arch: str = "amd64"
    labels: dict[str, str] = {}
    zones: dict[str, None] = {}
    kinds: tuple[str, ...] = (ON_DEMAND, SPOT)
    offerings: list[dict[str, Any]] = []  # those that a list gives in full


class Published:
    """The instance types, zones and prices of all lists that were read."""

    def __init__(self) -> None:
        self.types: dict[str, PublishedType] = {}
        self.zones: dict[str, dict[str, None]] = {}  # by type
        self.prices: dict[tuple[str, str], float] = {}  # by type and capacity type, in all zones
        self.spot: dict[tuple[str, str], tuple[str, float]] = {}  # by type and zone: since when, and the price
        self.unpriced: list[str] = []

    def read(self, document: Any) -> None:
        """Add a list. Raises UnknownList."""
        if isinstance(document, list):
            entries = [entry for entry in document if isinstance(entry, Mapping)]
            if any("offerings" in entry for entry in entries):
                return self._each(entries, self._kwok_type)
            if any(entry.get("resourceType") == "virtualMachines" for entry in entries):
                return self._each(entries, self._azure_type)
        elif isinstance(document, Mapping):
            readers: Mapping[str, Callable[[Manifest], None]] = {
                "InstanceTypes": self._aws_type,
                "InstanceTypeOfferings": self._aws_offering,
                "SpotPriceHistory": self._aws_spot_price,
                "Items": self._azure_price,
            }
            for key, reader in readers.items():
                if isinstance(document.get(key), list):
                    return self._each(document[key], reader)
            if isinstance(document.get("PriceList"), list):
                return self._each(map(_decoded, document["PriceList"]), self._aws_product)
            if isinstance(document.get("products"), Mapping):
                terms = (document.get("terms") or {}).get("OnDemand") or {}
                products = document["products"].items()
                entries = [
                    {"product": product, "terms": {"OnDemand": terms.get(sku) or {}}} for sku, product in products
                ]
                return self._each(entries, self._aws_product)
        raise UnknownList

    def _each(self, entries: Iterable[Any], reader: Callable[[Manifest], None]) -> None:
        for entry in entries:
            if not isinstance(entry, Mapping):
                raise UnknownList
            with suppress(KeyError, TypeError, ValueError, AttributeError, IndexError):  # an entry that lacks data
                reader(entry)

    # Amazon Web Services

    def _aws_type(self, entry: Manifest) -> None:
        name, network = entry["InstanceType"], entry.get("NetworkInfo") or {}
        cpus, memory = entry["VCpuInfo"]["DefaultVCpus"], entry["MemoryInfo"]["SizeInMiB"]
        family, _, size = name.partition(".")
        category, generation = AWS_NAME.findall(family)[0]
        attributes = {"category": category, "family": family, "generation": generation, "size": size, "cpu": cpus}
        resources = {"cpu": str(cpus), "memory": f"{memory}Mi"}
        interfaces, addresses = (
            network.get(field) for field in ("MaximumNetworkInterfaces", "Ipv4AddressesPerInterface")
        )
        if interfaces and addresses:
            resources["pods"] = str(interfaces * (addresses - 1) + 2)  # what the VPC CNI has addresses for
        for gpu in (entry.get("GpuInfo") or {}).get("Gpus") or ():
            if gpu.get("Manufacturer") in AWS_GPUS:
                resources[AWS_GPUS[gpu["Manufacturer"]]] = str(gpu["Count"])
                attributes |= {"gpu-name": gpu["Name"].lower(), "gpu-count": gpu["Count"]}
        labels = {f"{AWS_LABEL}{key}": str(value) for key, value in {**attributes, "memory": memory}.items() if value}
        architectures = entry["ProcessorInfo"]["SupportedArchitectures"]
        arch = next(
            AWS_ARCHITECTURES[architecture] for architecture in architectures if architecture in AWS_ARCHITECTURES
        )
        usage = entry.get("SupportedUsageClasses") or (ON_DEMAND, SPOT)
        kinds = tuple(kind for kind in (ON_DEMAND, SPOT) if kind in usage)
        self.types[name] = PublishedType(resources, arch, labels, kinds=kinds)

    def _aws_offering(self, entry: Manifest) -> None:
        if entry.get("LocationType") == "availability-zone":
            self.zones.setdefault(entry["InstanceType"], {})[entry["Location"]] = None

    def _aws_spot_price(self, entry: Manifest) -> None:
        at = entry["InstanceType"], entry["AvailabilityZone"]
        new = str(entry.get("Timestamp") or ""), float(entry["SpotPrice"])
        if "Linux" in entry.get("ProductDescription", "Linux") and new >= self.spot.get(at, ("", 0.0)):
            self.spot[at] = new

    def _aws_product(self, entry: Manifest) -> None:
        attributes = entry["product"]["attributes"]
        ordinary = {"operatingSystem": "Linux", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used"}
        if all(attributes.get(key, value) == value for key, value in ordinary.items()):
            for term in entry["terms"]["OnDemand"].values():
                for rate in term["priceDimensions"].values():
                    price = next(iter(rate["pricePerUnit"].values()))
                    if rate["unit"] == "Hrs" and float(price) > 0:
                        self.prices[attributes["instanceType"], ON_DEMAND] = float(price)

    # Azure

    def _azure_type(self, entry: Manifest) -> None:
        if entry["resourceType"] != "virtualMachines":
            return
        name, attributes = entry["name"], {item["name"]: item["value"] for item in entry["capabilities"]}
        cpus, memory = attributes["vCPUs"], round(float(attributes["MemoryGB"]) * 1024)
        resources = {"cpu": cpus, "memory": f"{memory}Mi"}
        if int(attributes.get("GPUs") or 0):
            resources["nvidia.com/gpu"] = attributes["GPUs"]
        family = AZURE_FAMILY.match(name)
        labels = {"name": name, "cpu": cpus, "memory": str(memory), "family": family.group(1) if family else ""}
        arch = "arm64" if attributes.get("CpuArchitectureType") == "Arm64" else "amd64"
        kinds = (ON_DEMAND, SPOT) if attributes.get("LowPriorityCapable") == "True" else (ON_DEMAND,)
        zones = {f"{at['location'].lower()}-{zone}": None for at in entry["locationInfo"] for zone in at["zones"] or ()}
        labelled = {f"{AZURE_LABEL}{key}": value for key, value in labels.items() if value}
        self.types[name] = PublishedType(resources, arch, labelled, zones, kinds)

    def _azure_price(self, entry: Manifest) -> None:
        words = f"{entry.get('skuName')} {entry.get('productName')}"
        if entry["type"] != "Consumption" or entry["unitOfMeasure"] != "1 Hour":
            return
        if "Windows" in words or "Low Priority" in words or "CloudServices" in words.replace(" ", ""):
            return
        kind = SPOT if "Spot" in words else ON_DEMAND
        self.prices[entry["armSkuName"], kind] = float(entry["retailPrice"])

    # The list of kwok

    def _kwok_type(self, entry: Manifest) -> None:
        offerings = []
        for offering in entry["offerings"]:
            wanted = {requirement["key"]: requirement["values"][0] for requirement in offering["Requirements"]}
            zone, kind = wanted["topology.kubernetes.io/zone"], wanted["karpenter.sh/capacity-type"]
            if offering.get("Available", True):
                offerings.append({"zone": zone, "capacityType": kind, "price": offering["Price"]})
        resources = {key: str(value) for key, value in entry["resources"].items()}
        self.types[entry["name"]] = PublishedType(resources, entry.get("architecture", "amd64"), offerings=offerings)

    # The catalogue

    def catalogue(self, patterns: Iterable[str] = (), zones: Iterable[str] = ()) -> list[dict[str, Any]]:
        """Return the types whose names match a pattern, with their offerings in the zones; all types or zones if none
        are given.

        Types without an offering that has a price are left out; `unpriced` then names them.
        """
        patterns, zones = tuple(patterns), tuple(zones)
        entries, self.unpriced = [], []
        for name in sorted(self.types):
            if patterns and not any(fnmatchcase(name, pattern) for pattern in patterns):
                continue
            published = self.types[name]
            offerings = published.offerings or self._offerings(name, published, zones)
            offerings = [offering for offering in offerings if not zones or offering["zone"] in zones]
            if offerings:
                entries.append(_entry(name, published, offerings))
            else:
                self.unpriced.append(name)
        return entries

    def _offerings(self, name: str, published: PublishedType, zones: tuple[str, ...]) -> list[dict[str, Any]]:
        known = self.zones.get(name) or published.zones or {zone: None for of, zone in self.spot if of == name}
        offerings = []
        for zone in known or dict.fromkeys(zones):
            for kind in published.kinds:
                price = self.prices.get((name, kind))
                if kind == SPOT and (name, zone) in self.spot:
                    price = self.spot[name, zone][1]
                if price is not None:
                    offerings.append({"zone": zone, "capacityType": kind, "price": price})
        return offerings


def _entry(name: str, published: PublishedType, offerings: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a type in the format of a Karpenter document."""
    entry: dict[str, Any] = {"name": name}
    entry |= {key: value for key, value in published.resources.items() if key in ("cpu", "memory", "pods")}
    others = {key: value for key, value in published.resources.items() if key not in entry}
    entry["arch"] = published.arch
    entry |= {"resources": others} if others else {}
    entry |= {"labels": published.labels} if published.labels else {}
    return {**entry, "offerings": offerings}


def _decoded(product: Any) -> Any:
    return msgspec.json.decode(product) if isinstance(product, str) else product
