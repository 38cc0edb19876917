// @ts-check
/** The run as text: every caption so far and around here, one line each. Also the view for screen readers. */

import { h } from "../shared/dom.js";
import { plain, t } from "../shared/i18n.js";
import { seconds } from "../shared/units.js";
import { captionOf } from "../steps/captions.js";
import { framesOf } from "../steps/registry.js";
import { apply, fork } from "../trace/state.js";

const AROUND = 150;

/** @param {View} view @param {() => void} close */
export function transcript(view, close) {
	const from = Math.max(0, view.step - AROUND);
	const to = Math.min(view.store.steps - 1, view.horizon?.step ?? view.step + AROUND);
	return [
		h("p", { key: "about" }, t("transcript.about", { from, to, all: view.store.steps })),
		h(
			"ol",
			{ key: "lines", class: "transcript-lines" },
			linesOf(view, from, to)
				.filter(mayBeTold(view))
				.map((line) =>
					h(
						"li",
						{
							key: `${line.step}.${line.frame}`,
							class: line.step === view.step && line.frame === view.frame ? "now" : "",
							"aria-current": line.step === view.step && line.frame === view.frame ? "step" : null,
						},
						h(
							"button",
							{
								type: "button",
								class: "link",
								on: {
									click: () => {
										view.act.seek(line.step, line.frame);
										close();
									},
								},
							},
							`${line.step}${line.frame ? `.${line.frame}` : ""}`,
						),
						h("span", { class: "when" }, seconds(line.time)),
						h("span", null, h("b", null, line.sentence), " ", line.why),
					),
				),
		),
	];
}

/** Nothing behind what may be told. @param {View} view @returns {(line: {step: number, frame: number}) => boolean} */
function mayBeTold({ horizon }) {
	return ({ step, frame }) => !horizon || step < horizon.step || frame <= horizon.frame;
}

/** @param {View} view @param {number} from @param {number} to */
export function linesOf(view, from, to) {
	const out = [];
	const first = view.store.stateAfter(from);
	let state = first ? fork(first) : null;
	for (let step = from; step <= to && state; step += 1) {
		const event = view.store.event(step);
		if (!event) break;
		if (step > from) apply((state = fork(state)), event);
		for (let frame = 0; frame < framesOf(event); frame += 1) {
			const caption = captionOf({ state, event, frame, order: "plugin", following: view.store.event(step + 1) });
			out.push({ step, frame, time: state.time, sentence: plain(caption.sentence), why: plain(caption.why) });
		}
	}
	return out;
}
