// The switch of mutants for tests in Node; see switch.py.
import { appendFileSync } from "node:fs";

const active = Number(process.env.MUTANT ?? -1);
const { MUTANTS_REACHED: file, MUTANTS_NAME: name } = process.env;
const seen = new Set();
globalThis.__mutant = (/** @type {number} */ number) => {
	if (file && !seen.has(number)) {
		seen.add(number);
		appendFileSync(file, `${number} ${name}\n`);
	}
	return number === active;
};
