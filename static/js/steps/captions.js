// @ts-check
/**
 * The caption of every event and frame: eyebrow, one sentence, why, next. Words are in the catalogue, numbers come from
 * the state.
 */

import { has, parts, t } from "../shared/i18n.js";
import { heroOf, pointOf } from "../trace/phase.js";
import { node, pod } from "./parts/marks.js";
import { framesOf, STEPS, TELLS } from "./registry.js";

/** @type {Record<string, Teller>} */
const byType = {};
const loaded = new Set();

/** @param {StepName[]} names of steps; none: all */
export async function loadCaptions(...names) {
	const wanted = names.length ? names : /** @type {typeof names} */ (Object.keys(STEPS));
	await Promise.all(
		wanted.map(async (name) => {
			Object.assign(byType, (await STEPS[name].captions()).CAPTIONS);
			loaded.add(name);
		}),
	);
}

/**
 * Resolves once an event can be told; null when it can be now.
 * @param {AnyEvent} event @param {State} state @returns {Promise<void> | null}
 */
export function captionsFor(event, { pod_groups: groups }) {
	const names = [TELLS.get(event.type), groups.size && "group"].filter((name) => name && !loaded.has(name));
	return names.length ? loadCaptions(.../** @type {any} */ (names)) : null;
}

/** @param {Context} context @returns {Caption} */
export function captionOf(context) {
	const hero = heroOf(context.event, context.state);
	const { type } = context.event;
	const teller = (context.state.group && byType[`group.${type}`]) ?? byType[type];
	const made = teller?.({ ...context, hero }) ?? {};
	return {
		eyebrow: made.eyebrow ?? parts(`eyebrow.${pointOf(context.event, context.state) || "between"}`),
		sentence: made.sentence ?? [type],
		why: joined(made.why ?? []),
		next: made.next?.length ? made.next : nextOf({ ...context, hero }),
	};
}

/** Sentences, with a space between them where the language has one. @param {Part[]} why @returns {Part[]} */
function joined(why) {
	return t("sentence.gap") ? why : why.filter((part) => part !== " ");
}

/** What the next step is about, never its result. @param {Context} context @returns {Part[]} */
export function nextOf({ event, frame, order, following, state, hero }) {
	if (frame < framesOf(event, order) - 1) return parts("next.frame");
	if (!following) return state.finished ? parts("next.finished") : parts("next.unknown");
	const name = "pod" in following && typeof following.pod === "string" ? following.pod : "";
	const { type, queue, action, plugin, pod_group } = following;
	const key = `next.${type}.${queue || action || (pod_group && "group") || plugin || state.pods.get(name)?.place}`;
	const values = {
		pod: pod(name, hero),
		node: node(following.node ?? ""),
		n: state.nodes.size,
		kind: following.kind ?? "",
		name: following.name ?? "",
	};
	return parts(has(key) ? key : `next.${type}`, values);
}
