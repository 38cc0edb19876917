// @ts-check
// Light or dark: the reader's last choice, or else the system's. Loaded first, so that nothing flashes.

const KEY = "kschedui.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

let unstored = ""; // the chosen theme where it cannot be stored

/** The theme that the reader chose; null or "" if there is none. */
const storedTheme = () => {
	try {
		return localStorage.getItem(KEY) ?? unstored;
	} catch {
		return unstored;
	}
};

/** The theme of the link, otherwise the chosen one, otherwise the system's. @returns {"light" | "dark"} */
const wantedTheme = () => {
	const chosen = new URLSearchParams(location.search).get("theme") ?? storedTheme();
	return chosen === "dark" || chosen === "light" ? chosen : system.matches ? "dark" : "light";
};

/** Applies the wanted theme to the page. */
const showTheme = () => {
	document.documentElement.dataset.theme = wantedTheme();
};

showTheme();
system.addEventListener("change", showTheme);
document.addEventListener("click", (event) => {
	if (!(event.target instanceof Element) || !event.target.closest("[data-action='theme']")) return;
	const chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
	try {
		localStorage.setItem(KEY, chosen);
	} catch {
		unstored = chosen;
	}
	showTheme();
	document.dispatchEvent(new CustomEvent("themechange"));
});
