"""The course "CKA: scheduling and workloads": lessons and challenges by the domains of the CKA curriculum.

The domains and their weights are those of the CNCF's curriculum (github.com/cncf/curriculum). Each domain lists the
topics that no lesson covers.
"""

from typing import Any

import msgspec
from django.utils.translation import gettext_lazy as _

SLUG = "cka"  # in the course's address, and in ?course= of its lessons


class Subject(msgspec.Struct, frozen=True):
    """A subject of a domain, and the slugs of its lessons and challenges in order."""

    title: Any  # lazy
    slugs: tuple[str, ...]


class Domain(msgspec.Struct, frozen=True):
    """A domain of the curriculum: its share of the exam in percent, and the topics that no lesson covers."""

    title: Any  # lazy
    percent: int
    subjects: tuple[Subject, ...]
    left_out: Any  # lazy


DOMAINS = (
    Domain(
        _("Workloads and scheduling"),
        15,
        (
            Subject(
                _("How pods are scheduled: resources, affinity, taints, priority"),
                (
                    "first-pod",
                    "extension-points",
                    "resources-fit",
                    "requests-counted",
                    "node-affinity",
                    "taints-and-tolerations",
                    "affinity",
                    "anti-affinity",
                    "hard-spread",
                    "soft-spread",
                    "host-ports",
                    "priority-order",
                    "high-preempts-low",
                    "scheduling-gates",
                ),
            ),
            Subject(
                _("Deployments: rolling updates"),
                ("surge-and-unavailable", "rollout-without-room", "scale-down-order", "challenge-rollout"),
            ),
            Subject(
                _("Workloads that heal themselves"),
                ("victim-comes-back", "statefulset-waits", "daemonset-and-nodes", "job-retries", "preempted-job"),
            ),
            Subject(_("Admission of pods: requests, limits, quotas"), ("quota-and-limits",)),
            Subject(_("Autoscaling of workloads"), ("hpa-on-a-full-cluster",)),
        ),
        _("ConfigMaps and Secrets, probes, static pods, and rollbacks as a task for kubectl."),
    ),
    Domain(
        _("Cluster architecture, installation and configuration"),
        25,
        (
            Subject(_("Nodes during maintenance"), ("cordoned-node", "budgets-and-drain", "challenge-drain")),
            Subject(_("Nodes that come and go"), ("autoscaler-adds", "autoscaler-removes", "karpenter-packs")),
            Subject(_("Configuration of the scheduler"), ("two-profiles", "bin-packing", "challenge-weights")),
        ),
        _(
            "RBAC, kubeadm, upgrades, a highly available control plane, etcd, Helm and Kustomize, CNI, CSI and CRI, "
            "custom resources and operators."
        ),
    ),
    Domain(
        _("Troubleshooting"),
        30,
        (
            Subject(
                _("Why a pod is pending"),
                ("statuses", "no-nodes", "filter-order", "backoff", "queueing-hints", "make-it-fit", "bind-failure"),
            ),
            Subject(_("What is wrong with a node"), ("node-is-lost", "toleration-seconds", "pressure-and-qos")),
            Subject(_("Pods in the wrong place"), ("descheduler-repairs", "nomination-lost")),
        ),
        _("Logs and output of containers, components of the control plane, metrics, Services, DNS and networks."),
    ),
    Domain(
        _("Storage"),
        10,
        (Subject(_("Volumes and the node of a pod"), ("volume-waits",)),),
        _("Volume types, access modes, reclaim policies, and storage classes beyond the binding mode."),
    ),
    Domain(
        _("Services and networking"),
        20,
        (),
        _("All of it: Services, endpoints, Ingress and the Gateway API, network policies, CoreDNS."),
    ),
)


def order() -> list[str]:
    """Return the slugs of the course's lessons and challenges in order."""
    return [slug for domain in DOMAINS for subject in domain.subjects for slug in subject.slugs]
