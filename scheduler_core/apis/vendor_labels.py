"""Node labels of vendors: the labels that identify a node group, and those that vendors set."""

# The labels whose value is the name of the node's group, from the documentation of each vendor.
GROUP_LABELS = (
    "karpenter.sh/nodepool",
    "karpenter.sh/provisioner-name",  # before Karpenter 0.32
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",  # AKS
    "kops.k8s.io/instancegroup",
    "node.cluster.x-k8s.io/pool",
    "doks.digitalocean.com/node-pool",
    "lke.linode.com/pool-id",
    "alibabacloud.com/nodepool-id",
    "ibm-cloud.kubernetes.io/worker-pool-name",
    "k8s.scaleway.com/pool-name",
    "nodepool",  # OVHcloud and others
)
GROUP_OWNER = "cluster.x-k8s.io/owner-name"  # Cluster API's annotation: the MachineSet or MachineDeployment

# Domains of labels that kubelets or cloud controllers set; other labels are the operator's own.
OF_THE_CLOUD = (
    *("kubernetes.io", "k8s.io", "amazonaws.com", "k8s.aws", "gke.io", "google.com", "azure.com"),
    *("karpenter.sh", "digitalocean.com", "oraclecloud.com"),
)
# Domains below kubernetes.io whose labels are the operator's own.
OF_OPERATORS = ("node-role.kubernetes.io", "node-restriction.kubernetes.io")
