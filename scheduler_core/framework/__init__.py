"""kube-scheduler's scheduling framework: what plugins implement (`interface`) and what runs them (`runtime`)."""
