// @ts-check
/** Captions of the dry run: pods of lower priority are left out, then put back where they may stay. */

import { list, num, parts } from "../../shared/i18n.js";
import { quantity } from "../../shared/units.js";
import { node, pod, priorityOf } from "../parts/marks.js";
import { roomOf } from "./arithmetic.js";

/** @param {Context} context @param {Theatre} play @returns {Partial<Caption>} */
export function removed({ state, hero = "" }, play) {
	const lifted = play.candidates.flatMap((one) => one.removed);
	const values = {
		pod: pod(hero, hero),
		n: num(play.all),
		lifted: num(lifted.length),
		node: node(play.candidates[0].node),
		other: pod(lifted[0] ?? ""),
		priority: num(priorityOf(state, hero), `priority:${hero}`),
	};
	const few = play.all > 1 ? "" : lifted.length === 1 ? ".one" : ".node";
	return {
		eyebrow: parts("eyebrow.dryrun"),
		sentence: parts(`preempt.removed${few}`, values),
		why: parts("preempt.removed.why", values),
		next: parts("next.reprieve", values),
	};
}

/**
 * What is left once a pod is put back; where that is what decides.
 * @param {State} state
 * @param {Candidate} candidate
 * @param {number} rank
 * @param {string} hero
 * @returns {Part[]}
 */
function backAgain(state, candidate, rank, hero) {
	const { resource, need, tried } = roomOf(state, candidate, hero);
	const { pod: other, reprieved, after } = tried[rank - 1];
	if (reprieved !== after >= need) return [];
	return parts("reprieve.left", {
		other: pod(other),
		left: num(quantity(resource, Math.max(0, after)), `candidate:${candidate.node}`),
		need: num(quantity(resource, need), `request:${hero}`),
		pod: pod(hero, hero),
	});
}

/** @param {Context} context @param {Theatre} play @param {number} rank @returns {Partial<Caption>} */
export function reprieve({ hero = "", state }, play, rank) {
	const tried = play.candidates.flatMap((one) =>
		one.reprieve[rank - 1] ? [{ candidate: one, ...one.reprieve[rank - 1] }] : [],
	);
	const stay = tried.filter((one) => one.reprieved);
	const go = tried.filter((one) => !one.reprieved);
	const one = tried.length === 1 ? tried[0] : null;
	const values = {
		pod: pod(hero, hero),
		other: pod((one ?? go[0] ?? tried[0])?.pod ?? "", hero),
		node: node((one ?? go[0] ?? tried[0])?.candidate.node ?? ""),
		stay: num(stay.length),
		go: num(go.length),
		n: num(tried.length),
		victims: list(
			go.map(({ pod: key }) => pod(key)),
			3,
		),
		spared: list(
			stay.map(({ pod: key }) => pod(key)),
			3,
		),
	};
	const key = one
		? one.reprieved
			? "reprieve.stays"
			: "reprieve.goes"
		: !go.length
			? "reprieve.allstay"
			: !stay.length
				? "reprieve.allgo"
				: "reprieve.some";
	const rule = parts(tried.some((entry) => entry.violates_pdb) ? "reprieve.why.pdb" : "reprieve.why", values);
	const sums = one ? backAgain(state, one.candidate, rank, hero) : [];
	return {
		eyebrow: parts("eyebrow.reprieve", { i: rank, n: play.ranks }),
		sentence: parts(key, values),
		why: !sums.length ? rule : rank > 1 ? sums : [...sums, " ", ...rule],
		next: rank < play.ranks ? parts("next.reprieve", values) : parts(play.rungs ? "next.ladder" : "next.result"),
	};
}
