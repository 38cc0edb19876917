"""The text of a new scenario, and the editor's snippets: one per kind, and examples of devices and a challenge."""

from pathlib import Path

FOLDER = Path(__file__).parent / "starters"


def _read(name: str) -> str:
    return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


DEVICES = (
    "One GPU", "Two GPUs of one PCIe root", "Partitions of a GPU", "Shared device", "First available device",
)  # fmt: skip
NAMES = [
    "Node", "Pod", "Pod that spreads", "Pod with affinity", "Pod with a volume", "PriorityClass", "PodDisruptionBudget",
    "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "HorizontalPodAutoscaler", "ResourceQuota",
    "LimitRange", "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode", "Namespace", "Service",
    "PodGroup", *DEVICES, "SchedulerPlugin", "KubeSchedulerConfiguration", "Scenario", "Challenge",
]  # fmt: skip
TEMPLATES = [(name, _read(name.lower().replace(" ", "-"))) for name in NAMES]
STARTER = _read("starter")
