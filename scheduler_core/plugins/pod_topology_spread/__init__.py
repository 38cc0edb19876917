"""PodTopologySpread (kube-scheduler: plugins/podtopologyspread)."""
