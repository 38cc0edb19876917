/** A common English word that is not part of a name or path. */
export const WORDS = new RegExp(
	`(?<![-\\w./:=_])(?:${[
		"the|an|of|is|are|was|no|not|any|all|none|with|without|that|this|by|for|from|to|on|and|or|does|has|have|each|every",
		"more|most|less|than|would|could|will|when|where|which|what|how|here|there|its?|their|only|at|as|if|because",
		"pods?|nodes?|domains?|zones?|feasible|claims?|weights?|deviation|standard|free|bytes|kept|between|ignored|matching|matches",
		"points?|scores?|normalized|seconds?|steps?|attempts?|labels?|taints?|queues?|left|taken|same|devices?|priority",
	].join("|")})(?![-\\w./=_])`,
);
