"""Messages of Volcano, Kueue, the Eviction API, quotas, autoscalers and volumes about pods that do not run.

Volcano: pkg/scheduler/api/job_info.go and unschedule_info.go (events Unschedulable and FailedScheduling, conditions of
PodGroups). Kueue: pkg/scheduler (flavorassigner, preemption) and conditions of Workloads (QuotaReserved).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kschedui.waiting.autoscalers import CLUSTER_AUTOSCALER, KARPENTER
from kschedui.waiting.foreign import ForeignMessage, ForeignPart, Meanings, Say, build_part
from scheduler_core.apis.messages import Message

VOLCANO, KUEUE, DRAIN, CONSOLE = "Volcano", "Kueue", "kubectl drain", "Google Cloud console"
QUOTA, ATTACH = "ResourceQuota", "attachdetach-controller"

# Each pattern ends where its message ends; names in it are those of the sentence.
MESSAGES: tuple[tuple[str, str, Message], ...] = (
    (
        VOLCANO,
        r"(?:(?P<tasks>\d{1,6})/(?P<all>\d{1,6}) tasks in gang unschedulable: )?(?:pod group|job) is not ready, "
        r"(?P<counts>(?:\d{1,6} [A-Za-z]+,? ?)+)(?P<rest>(?:; [A-Z][a-z]+: [^;\n\"]{1,300})*)",
        Message(
            "Volcano places the pods of a PodGroup together, and fewer than minAvailable of them have a node. "
            "The reasons of the single pods are in their own events."
        ),
    ),
    (
        VOLCANO,
        r"queue resource quota insufficient(?:: [^\n\"]{1,300})?",
        Message("The queue's capability is used up: raise it, or wait until other jobs of the queue end."),
    ),
    (
        VOLCANO,
        r"resource in cluster is overused",
        Message(
            "Volcano's enqueue action counts more requests than the cluster has: the job has to wait in its queue."
        ),
    ),
    (
        DRAIN,
        r"Cannot evict pod as it would violate the pod's disruption budget",
        Message(
            "A PodDisruptionBudget that selects the pod allows no disruption now: see status.disruptionsAllowed. The "
            "eviction is tried again until it does."
        ),
    ),
    (
        DRAIN,
        r"This pod has more than one PodDisruptionBudget",
        Message("Several PodDisruptionBudgets select the pod; the Eviction API then refuses: leave one of them."),
    ),
    (
        QUOTA,
        r"exceeded quota: (?P<quota>[\w.-]+), requested: [^\n\"]{1,600}",
        Message(
            "The API server does not create the pod, so the scheduler never sees it: the quota of its namespace has no "
            "room left. Raise the quota, request less, or delete pods."
        ),
    ),
    (
        CLUSTER_AUTOSCALER,
        r"Scale-up failed for group [^\n\"]{1,300}",
        Message("The cloud did not add a node to the group; the autoscaler tries the group again after its backoff."),
    ),
    (
        CLUSTER_AUTOSCALER,
        r"(?:[Nn]ode \S{1,253} (?:cannot be removed|unremovable|is not suitable for removal)[:,-] ?[^\n\"]{1,300}"
        r"|no\.scale\.down\.node\.[a-z.]{1,100})",
        Message(
            "The autoscaler keeps the node and says why. If it is because of a pod with local storage, without "
            "a controller, or of kube-system without a budget, the annotation cluster-autoscaler.kubernetes.io/"
            'safe-to-evict: "true" on the pod lets it move; for a budget, see status.disruptionsAllowed.'
        ),
    ),
    (
        KARPENTER,
        r"insufficient capacity, all requested instance types were unavailable during launch",
        Message(
            "The cloud has none of the instance types that were asked for in these zones now, and Karpenter tries "
            "others for a while. More instance types, zones or capacity types in the NodePool's requirements help."
        ),
    ),
    (
        KARPENTER,
        r"\d{1,6} out of \d{1,6} instance types were excluded because they would breach limits",
        Message("Nodes of these types would exceed spec.limits of the NodePool: raise the limits."),
    ),
    (
        ATTACH,
        r"Multi-Attach error for volume [^\n]{1,300}",
        Message(
            "The pod has a node, but its volume is still attached to another one: the pod that used it there has not "
            "ended, or that node does not answer."
        ),
    ),
    (
        CONSOLE,
        r"Cannot schedule pods: (?P<reason>(?!no nodes available)[^\n\"]{1,300})",
        Message("The console shortens the scheduler's message, and splits it at dots: see the pod's events."),
    ),
    (
        KUEUE,
        r"couldn't assign flavors to pod set (?P<set>[\w.-]+): (?P<reasons>[^\n\"]{1,2000})",
        Message("Kueue has not admitted the workload, so its pods stay gated: no ResourceFlavor has room for them."),
    ),
    (
        KUEUE,
        r"(?:LocalQueue|ClusterQueue) [\w./-]* ?(?:doesn't exist|does not exist|is inactive|is stopped)",
        Message("Kueue has not admitted the workload: its queue does not exist or does not admit anything."),
    ),
    (
        KUEUE,
        r"(?:Waiting for|waiting for) (?:all )?(?:pods ready|PodsReady|quota|admission checks?)[^\n\"]{0,200}",
        Message("Kueue has not admitted the workload yet: it waits for others."),
    ),
)
OF_A_FLAVOR: tuple[tuple[str, Message], ...] = (
    (
        r"^insufficient unused quota(?: in cohort)? for (?P<resource>\S+) in flavor (?P<flavor>[\w.-]+)"
        r"(?:, (?P<more>\S+) more needed)?",
        Message("The quota is there, but other workloads use it: the workload waits until they end."),
    ),
    (
        r"^insufficient quota for (?P<resource>\S+) in flavor (?P<flavor>[\w.-]+)",
        Message(
            "The request is larger than the quota of the queue and its cohort, so it is never admitted: raise "
            "nominalQuota."
        ),
    ),
    (
        r"^untolerated taint (?P<taint>.+?) in flavor (?P<flavor>[\w.-]+)",
        Message("Nodes of this flavor have a taint that the pods do not tolerate."),
    ),
    (
        r"^flavor (?P<flavor>[\w.-]+) doesn't match(?: with)? node affinity",
        Message("The node labels of this flavor contradict the pods' node selector or affinity."),
    ),
    (
        r"^resource (?P<resource>\S+) unavailable in ClusterQueue",
        Message("The ClusterQueue has no quota for this resource: add it to one of its resource groups."),
    ),
    (r"^topology .*", Message("No domain of the topology has room for all pods together.")),
)
OF_A_TASK: Meanings = (
    (r" Unschedulable", Message("No node has room for these pods, or the nodes do not meet their rules.")),
    (
        r" Undetermined",
        Message("Volcano judged no node for these pods: the job's queue, or other pods of the job, stopped it before."),
    ),
)
NEXT_REASON = re.compile(r", (?=insufficient |untolerated |flavor |resource |topology |couldn)")


def batch_scheduler_messages(plain: str, say: Say) -> Iterator[ForeignMessage]:
    """Yield the messages in a text that match one of MESSAGES."""
    for source, pattern, meaning in MESSAGES:
        for match in re.finditer(pattern, plain):
            values = match.groupdict()
            parts = []
            if values.get("reasons"):
                parts = [_of_flavor(reason.strip(), say) for reason in NEXT_REASON.split(values["reasons"])]
            elif values.get("rest"):
                parts = [
                    build_part(reason.strip(), OF_A_TASK, say)
                    for reason in values["rest"].split("; ")
                    if reason.strip()
                ]
            elif values.get("reason"):
                reason = values["reason"].strip(" .")
                cut = re.fullmatch(r"Insufficient (?!cpu|memory|ephemeral-storage)[\w-]+", reason)
                parts = [ForeignPart(reason) if cut else build_part(reason, (), say)]
            yield ForeignMessage(source, match[0].strip(" ;,"), say(meaning), parts)


def _of_flavor(reason: str, say: Say) -> ForeignPart:
    for pattern, meaning in OF_A_FLAVOR:
        if match := re.search(pattern, reason):
            return ForeignPart(reason, group=match.groupdict().get("flavor") or "", meaning=say(meaning))
    return ForeignPart(reason)
