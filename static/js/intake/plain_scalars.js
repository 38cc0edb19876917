// @ts-check
/** What an unquoted YAML scalar stands for where kubectl reads it: `resolve_plain` of scenario/reading/yaml_composer.py. */

const NULL = /^(?:|~|null|Null|NULL)$/;
const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const INTEGER = /^[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const LONGEST_NUMBER = 64;

/** @param {string} text @returns {string | number | boolean | null} */
export function resolvePlain(text) {
	if (text.length > LONGEST_NUMBER) return text;
	if (NULL.test(text)) return null;
	if (TRUE.test(text)) return true;
	if (FALSE.test(text)) return false;
	if (INTEGER.test(text)) return integer(text);
	const number = FLOAT.test(text) ? Number(text) : Number.NaN;
	return Number.isFinite(number) ? number : text;
}

/** As Go's ParseInt does: a leading 0 means octal. @param {string} text */
function integer(text) {
	const digits = text.replaceAll("_", "").replace(/^[-+]/, "");
	const octal = /^0[0-9]+$/.test(digits);
	if (octal && /[89]/.test(digits)) return text;
	const number = Number(octal ? `0o${digits.slice(1)}` : digits);
	return Number.isNaN(number) ? text : text.startsWith("-") && number ? -number : number;
}

const SCALAR = { tag: "tag:yaml.org,2002:int", resolve: resolvePlain };
/** For a parser that takes every scalar for a text. */
export const SCALARS = [
	{ ...SCALAR, default: true, test: /^(?:[-+.~0-9a-zA-Z]|$)/ },
	...["null", "bool", "float"].map((name) => ({ ...SCALAR, tag: `tag:yaml.org,2002:${name}` })),
];
