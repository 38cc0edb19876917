"""DynamicResources (kube-scheduler: plugins/dynamicresources and k8s.io/dynamic-resource-allocation/structured)."""
