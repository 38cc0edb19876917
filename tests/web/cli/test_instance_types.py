"""`kschedui instance-types` reads the formats in which vendors publish types and prices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kschedui.cli.main import main
from scheduler_core.apis.autoscaling import KarpenterSettings
from scheduler_core.scenario.parse import parse_scenario
from tests.builders import pod, scenario
from tests.core.autoscaling.builders import node_class, node_pool


def aws_type(name: str, cpus: int, memory: int, arch: str = "x86_64", **more: Any) -> dict[str, Any]:
    return {
        "InstanceType": name,
        "SupportedUsageClasses": ["on-demand", "spot"],
        "ProcessorInfo": {"SupportedArchitectures": [arch]},
        "VCpuInfo": {"DefaultVCpus": cpus},
        "MemoryInfo": {"SizeInMiB": memory},
        "NetworkInfo": {"MaximumNetworkInterfaces": 3, "Ipv4AddressesPerInterface": 10},
        **more,
    }


def aws_product(name: str, price: str, **said: str) -> dict[str, Any]:
    ordinary = {"operatingSystem": "Linux", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used"}
    rates = {"S.T.R": {"unit": "Hrs", "pricePerUnit": {"USD": price}}}
    return {
        "product": {"productFamily": "Compute Instance", "attributes": {"instanceType": name, **ordinary, **said}},
        "terms": {"OnDemand": {"S.T": {"priceDimensions": rates}}},
    }


GPU = {"Gpus": [{"Name": "A10G", "Manufacturer": "NVIDIA", "Count": 4, "MemoryInfo": {"SizeInMiB": 24576}}]}
AWS_TYPES = {
    "InstanceTypes": [
        aws_type("m5.large", 2, 8192),
        aws_type("c7g.xlarge", 4, 8192, "arm64"),
        aws_type("g5.12xlarge", 48, 196608, GpuInfo=GPU, SupportedUsageClasses=["on-demand"]),
        aws_type("m5.metal", 96, 393216),
    ]
}
AWS_ZONES = {
    "InstanceTypeOfferings": [
        {"InstanceType": name, "LocationType": "availability-zone", "Location": f"eu-central-1{zone}"}
        for name in ("m5.large", "c7g.xlarge", "g5.12xlarge")
        for zone in ("ab" if name == "m5.large" else "a")
    ]
}
AWS_SPOT = {
    "SpotPriceHistory": [
        {
            "AvailabilityZone": "eu-central-1b",
            "InstanceType": "m5.large",
            "ProductDescription": "Linux/UNIX",
            "SpotPrice": price,
            "Timestamp": f"2026-11-{day}T00:00:00.000Z",
        }
        for day, price in (("20", "0.040"), ("21", "0.050"), ("19", "0.030"))
    ]
}
PRODUCTS = [
    aws_product("m5.large", "0.1150000000"),
    aws_product("m5.large", "0.2070000000", operatingSystem="Windows"),
    aws_product("m5.large", "0.1300000000", tenancy="Dedicated"),
    aws_product("m5.large", "0.0000000000"),
    aws_product("c7g.xlarge", "0.1659000000"),
    aws_product("g5.12xlarge", "7.0900000000"),
]
AWS_PRICES = {"FormatVersion": "aws_v1", "PriceList": [json.dumps(product) for product in PRODUCTS]}
AWS_INDEX = {
    "offerCode": "AmazonEC2",
    "products": {f"S{number}": product["product"] for number, product in enumerate(PRODUCTS)},
    "terms": {"OnDemand": {f"S{number}": p["terms"]["OnDemand"] for number, p in enumerate(PRODUCTS)}},
}


def azure_sku(name: str, cpus: int, memory: int, **more: str) -> dict[str, Any]:
    said = {"vCPUs": str(cpus), "MemoryGB": str(memory), "LowPriorityCapable": "True", **more}
    return {
        "name": name,
        "resourceType": "virtualMachines",
        "capabilities": [{"name": key, "value": value} for key, value in said.items()],
        "locationInfo": [{"location": "westEurope", "zones": ["1", "2"]}],
    }


AZURE_TYPES = [
    azure_sku("Standard_D2s_v5", 2, 8),
    azure_sku("Standard_D4ps_v5", 4, 16, CpuArchitectureType="Arm64", LowPriorityCapable="False"),
    {"name": "Premium_LRS", "resourceType": "disks", "capabilities": [], "locationInfo": []},
]


def azure_price(name: str, sku: str, price: float, **said: str) -> dict[str, Any]:
    usual = {"type": "Consumption", "unitOfMeasure": "1 Hour", "productName": "Virtual Machines Dsv5 Series"}
    return {"armSkuName": name, "skuName": sku, "retailPrice": price, **usual, **said}


AZURE_PRICES = {
    "Items": [
        azure_price("Standard_D2s_v5", "D2s v5", 0.115),
        azure_price("Standard_D2s_v5", "D2s v5 Spot", 0.023),
        azure_price("Standard_D2s_v5", "D2s v5 Low Priority", 0.046),
        azure_price("Standard_D2s_v5", "D2s v5", 0.207, productName="Virtual Machines Dsv5 Series Windows"),
        azure_price("Standard_D2s_v5", "D2s v5", 650.0, type="Reservation"),
        azure_price("Standard_D4ps_v5", "D4ps v5", 0.184),
    ]
}
KWOK = [
    {
        "name": "c-4x-amd64-linux",
        "architecture": "amd64",
        "operatingSystems": ["linux"],
        "resources": {"cpu": "4", "memory": "8Gi", "pods": "64", "ephemeral-storage": "20Gi"},
        "offerings": [
            {
                "Price": 0.1,
                "Available": True,
                "Requirements": [
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]},
                ],
            }
        ],
    }
]


def convert(tmp_path: Path, capsys: pytest.CaptureFixture[str], *lists: Any, options: tuple[str, ...] = ()) -> Any:
    """Run the command on the lists. Return the instance types that it prints by name, and its standard error."""
    files = []
    for number, content in enumerate(lists):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(content))
        files.append(str(path))
    assert main(["instance-types", *files, *options]) == 0
    printed = capsys.readouterr()
    (actor,) = (one for one in parse_scenario(printed.out).actors if isinstance(one, KarpenterSettings))
    assert len(actor.instance_types)
    return {entry["name"]: entry for entry in yaml.safe_load(printed.out)["spec"]["instanceTypes"]}, printed.err


@pytest.mark.parametrize("prices", [AWS_PRICES, AWS_INDEX], ids=["get-products", "index.json"])
def test_the_lists_of_aws_become_types_with_offerings(
    prices: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    types, said = convert(tmp_path, capsys, AWS_TYPES, AWS_ZONES, AWS_SPOT, prices)
    assert set(types) == {"m5.large", "c7g.xlarge", "g5.12xlarge"}
    assert "m5.metal" in said
    assert main(["instance-types", *(str(tmp_path / f"{number}.json") for number in range(4)), "--strict"]) == 1
    large = types["m5.large"]
    assert (large["cpu"], large["memory"], large["pods"], large["arch"]) == ("2", "8192Mi", "29", "amd64")
    assert large["labels"]["karpenter.k8s.aws/instance-category"] == "m"
    assert large["labels"]["karpenter.k8s.aws/instance-generation"] == "5"
    assert large["offerings"] == [
        {"zone": "eu-central-1a", "capacityType": "on-demand", "price": 0.115},
        {"zone": "eu-central-1b", "capacityType": "on-demand", "price": 0.115},
        {"zone": "eu-central-1b", "capacityType": "spot", "price": 0.05},
    ]
    assert types["c7g.xlarge"]["arch"] == "arm64"
    assert types["g5.12xlarge"]["resources"] == {"nvidia.com/gpu": "4"}
    assert types["g5.12xlarge"]["labels"]["karpenter.k8s.aws/instance-gpu-name"] == "a10g"


def test_types_and_zones_can_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--match", "m5.*", "--match", "c7g.*", "--zone", "eu-central-1b")
    types, _ = convert(tmp_path, capsys, AWS_TYPES, AWS_ZONES, AWS_PRICES, options=options)
    assert [(name, [o["zone"] for o in entry["offerings"]]) for name, entry in types.items()] == [
        ("m5.large", ["eu-central-1b"])
    ]
    types, _ = convert(tmp_path, capsys, AWS_TYPES, AWS_PRICES, options=("--zone", "x", "--zone", "y"))
    assert [offering["zone"] for offering in types["m5.large"]["offerings"]] == ["x", "y"]


def test_the_lists_of_azure_become_types_with_offerings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    types, _ = convert(tmp_path, capsys, AZURE_TYPES, AZURE_PRICES)
    assert set(types) == {"Standard_D2s_v5", "Standard_D4ps_v5"}
    assert types["Standard_D2s_v5"]["memory"] == "8192Mi"
    assert types["Standard_D2s_v5"]["labels"]["karpenter.azure.com/sku-family"] == "D"
    assert [(o["zone"], o["capacityType"], o["price"]) for o in types["Standard_D2s_v5"]["offerings"]] == [
        ("westeurope-1", "on-demand", 0.115),
        ("westeurope-1", "spot", 0.023),
        ("westeurope-2", "on-demand", 0.115),
        ("westeurope-2", "spot", 0.023),
    ]
    assert types["Standard_D4ps_v5"]["arch"] == "arm64"
    assert {o["capacityType"] for o in types["Standard_D4ps_v5"]["offerings"]} == {"on-demand"}


def test_karpenters_own_list_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    types, _ = convert(tmp_path, capsys, KWOK)
    assert types["c-4x-amd64-linux"]["offerings"] == [{"zone": "a", "capacityType": "spot", "price": 0.1}]
    assert types["c-4x-amd64-linux"]["resources"] == {"ephemeral-storage": "20Gi"}


def test_karpenter_buys_the_cheapest_of_the_types(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A NodePool that selects by a label of the vendor gets a node of one of the types."""
    for name, content in (("t", AWS_TYPES), ("z", AWS_ZONES), ("s", AWS_SPOT), ("p", AWS_PRICES)):
        (tmp_path / name).write_text(json.dumps(content))
    main(["instance-types", *(str(tmp_path / name) for name in "tzsp"), "--quiet"])
    catalogue = yaml.safe_load(capsys.readouterr().out)
    wanted = [
        {"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["m", "c"]},
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot", "on-demand"]},
    ]
    pool = node_pool("p", {"spec": {"requirements": wanted, "expireAfter": "Never"}})
    file = tmp_path / "scenario.yaml"
    file.write_text(scenario(node_class(), pool, pod("p", cpu="1500m"), catalogue))
    assert main(["autoscale", str(file), "--format", "json", "--no-run"]) in (0, 1)
    (answer,) = json.loads(capsys.readouterr().out)
    (made,) = answer["new_nodes"]
    assert (made["instance_type"], made["zone"], made["price"]) == ("m5.large", "eu-central-1b", 0.05)


@pytest.mark.parametrize(
    ("lists", "options", "words"),
    [
        ([{"hello": 1}], (), "is not a list of instance types or prices; expected the output of `aws ec2"),
        ([[1, 2]], (), "is not a list of instance types or prices"),
        ([AWS_PRICES], (), "no file lists instance types; expected one with their cpus and memory"),
        ([AWS_TYPES, AWS_ZONES], (), "no file has prices of the instance types"),
        ([AWS_TYPES, AWS_PRICES], (), "no instance type has a zone and a price; name the zones with --zone"),
        ([AWS_TYPES, AWS_ZONES, AWS_PRICES], ("--match", "x*"), "no instance type matches x*"),
        ([{"InstanceTypes": [3]}], (), "is not a list of instance types or prices"),
        ([{"InstanceTypes": [{"InstanceType": "m5.large"}]}], (), "no file lists instance types"),
    ],
)
def test_missing_instance_types_are_reported_in_one_sentence(
    lists: list[Any], options: tuple[str, ...], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, content in enumerate(lists):
        (tmp_path / str(number)).write_text(json.dumps(content))
    assert main(["instance-types", *(str(tmp_path / str(n)) for n in range(len(lists))), *options]) == 2
    assert words in capsys.readouterr().err


def test_a_file_that_is_no_json_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text("cpu,memory\n")
    assert main(["instance-types", str(tmp_path / "x")]) == 2
    assert "x is not JSON" in capsys.readouterr().err
