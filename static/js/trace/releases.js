// @ts-check
/** Generated from scheduler_core/releases and queue by `manage.py generate`. Do not edit. */

/** Seconds between two looks for pods that have waited for too long. */
export const UNSCHEDULABLE_FLUSH_SECONDS = 30;

/** The rules that pictures and sentences follow, by release; scheduler_core/releases/rules explains them. */
export const RULES = new Map([
	["1.15", { unschedulable_pods_are_retried_after: 60 }],
	["1.16", { unschedulable_pods_are_retried_after: 60 }],
	["1.18", { unschedulable_pods_are_retried_after: 60 }],
	["1.25", { unschedulable_pods_are_retried_after: 300 }],
	["1.26", { unschedulable_pods_are_retried_after: 300 }],
	["1.27", { unschedulable_pods_are_retried_after: 300 }],
	["1.28", { unschedulable_pods_are_retried_after: 300 }],
	["1.29", { unschedulable_pods_are_retried_after: 300 }],
	["1.30", { unschedulable_pods_are_retried_after: 300 }],
	["1.31", { unschedulable_pods_are_retried_after: 300 }],
	["1.32", { unschedulable_pods_are_retried_after: 300 }],
	["1.33", { unschedulable_pods_are_retried_after: 300 }],
	["1.34", { unschedulable_pods_are_retried_after: 300 }],
	["1.35", { unschedulable_pods_are_retried_after: 300 }],
	["1.36", { unschedulable_pods_are_retried_after: 300 }],
	["1.37", { unschedulable_pods_are_retried_after: 300 }],
]);
