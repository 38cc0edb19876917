"""TaintToleration (kube-scheduler: plugins/tainttoleration)."""
