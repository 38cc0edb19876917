"""The functions of `authorizer` (`k8s.io/apiserver/pkg/cel/library/authz.go`), which only admission can call.

Device selectors have no value of these types: a call does not compile, or no overload matches it at run time.
"""

from __future__ import annotations

from scheduler_core.cel.declarations import Function, Library, Overload
from scheduler_core.cel.types import BOOL, STRING, CelType, struct
from scheduler_core.cel.values import Error, Value

AUTHORIZER = struct("kubernetes.authorization.Authorizer")
PATH_CHECK = struct("kubernetes.authorization.PathCheck")
GROUP_CHECK = struct("kubernetes.authorization.GroupCheck")
RESOURCE_CHECK = struct("kubernetes.authorization.ResourceCheck")
DECISION = struct("kubernetes.authorization.Decision")
TYPES = (AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION)


def _refuse(*arguments: Value) -> Value:
    return Error("no such overload")


def _member(overload: str, target: CelType, strings: int, result: CelType) -> Overload:
    return Overload(overload, (target, *[STRING] * strings), result, True, _refuse)


AUTHORIZATION = Library(
    (
        Function("path", (_member("authorizer_path", AUTHORIZER, 1, PATH_CHECK),)),
        Function("group", (_member("authorizer_group", AUTHORIZER, 1, GROUP_CHECK),)),
        Function("serviceAccount", (_member("authorizer_serviceaccount", AUTHORIZER, 2, AUTHORIZER),)),
        Function("resource", (_member("groupcheck_resource", GROUP_CHECK, 1, RESOURCE_CHECK),)),
        Function("subresource", (_member("resourcecheck_subresource", RESOURCE_CHECK, 1, RESOURCE_CHECK),)),
        Function("namespace", (_member("resourcecheck_namespace", RESOURCE_CHECK, 1, RESOURCE_CHECK),)),
        Function("name", (_member("resourcecheck_name", RESOURCE_CHECK, 1, RESOURCE_CHECK),)),
        Function(
            "check",
            (
                _member("pathcheck_check", PATH_CHECK, 1, DECISION),
                _member("resourcecheck_check", RESOURCE_CHECK, 1, DECISION),
            ),
        ),
        Function("errored", (_member("decision_errored", DECISION, 0, BOOL),)),
        Function("error", (_member("decision_error", DECISION, 0, STRING),)),
        Function("allowed", (_member("decision_allowed", DECISION, 0, BOOL),)),
        Function("reason", (_member("decision_reason", DECISION, 0, STRING),)),
    )
)
AUTHORIZATION_SELECTORS = Library(
    (
        Function("fieldSelector", (_member("authorizer_fieldselector", RESOURCE_CHECK, 1, RESOURCE_CHECK),)),
        Function("labelSelector", (_member("authorizer_labelselector", RESOURCE_CHECK, 1, RESOURCE_CHECK),)),
    )
)
