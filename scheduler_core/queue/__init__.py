"""kube-scheduler's scheduling queue (backend/queue): activeQ, backoffQ, unschedulablePods, the nominator."""
