"""The cluster around the scheduler: kube-controller-manager's controllers, the kubelets, admission, and evictions.

Each controller is a reconcile function that is called with the object to which something happened. It reads the cluster
through `Api`, never the scheduler's state, and writes through it, each write with its cause. Reconciling takes no
virtual time; delays are `Api.later`. `table.py` lists the controllers, `live.py` runs them.
"""
