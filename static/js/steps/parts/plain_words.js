// @ts-check
/** Plain names of plugins and of the reasons that they give. */

import { has, t } from "../../shared/i18n.js";
import { short } from "../../shared/units.js";
import { resourceOf } from "../../trace/room.js";

/** The plain name of a Filter plugin: "Room?". @param {string} plugin */
export function question(plugin) {
	return has(`question.${plugin}`) ? t(`question.${plugin}`) : extender(plugin);
}

/** The plain name of a Score plugin: "Room". @param {string} plugin */
export function scoreName(plugin) {
	return has(`score.${plugin}`) ? t(`score.${plugin}`) : extender(plugin);
}

/** An extender goes by its address: the first part of its host's name. @param {string} plugin */
export function extender(plugin) {
	return /^https?:\/\/([^./:]+)/.exec(plugin)?.[1] ?? plugin;
}

/** A reason in plain words, when it is a known one. @param {string} reason */
export function plainReason(reason) {
	const taint = /untolerated taint \{(.*)\}/.exec(reason);
	if (taint) return t("reason.taint", { taint: taint[1].replace(": ", "=").replace(/=$/, "") });
	if (reason.startsWith("Insufficient ")) return t("reason.insufficient", { resource: short(resourceOf(reason)) });
	const kind = reasonKind(reason);
	return kind ? t(`reason.${kind}`) : reason;
}

/** "cordoned", "labels": which of the known reasons it is. @param {string | undefined} reason */
export function reasonKind(reason) {
	return Object.entries(REASONS).find(([start]) => reason?.startsWith(start))?.[1];
}

/** The message without kube-scheduler's "running PreBind plugin "X": ". @param {string} message */
export function bare(message) {
	return message.replace(/^running \w+ plugin "[^"]*": /, "");
}

/** @type {Record<string, string>} */
const REASONS = {
	"node(s) were unschedulable": "cordoned",
	"node(s) had untolerated taint(s)": "taints",
	"node(s) didn't match Pod's node affinity/selector": "labels",
	"node(s) didn't match the requested node name": "name",
	"node(s) didn't have free ports": "ports",
	"Too many pods": "pods",
	"node(s) didn't match pod topology spread constraints (missing": "spreadlabel",
	"node(s) didn't match pod topology spread constraints": "spread",
	"node(s) didn't match pod affinity rules": "affinity",
	"node(s) didn't match pod anti-affinity rules": "antiaffinity",
	"node(s) didn't satisfy existing pods anti-affinity rules": "existing",
	"node(s) had volume node affinity conflict": "volumenode",
	"node(s) didn't match PersistentVolume's node affinity": "volumenode",
	"node(s) didn't find available persistent volumes to bind": "volumes",
	"node(s) exceed max volume count": "volumecount",
	"node(s) had no available volume zone": "volumezone",
	"node(s) had no available disk": "disk",
	"node(s) did not have enough free storage": "storage",
	"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod": "inuse",
	"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)": "novolume",
	"node(s) didn't match scheduler-enforced node affinity": "enforced",
};
