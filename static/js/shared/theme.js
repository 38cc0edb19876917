// @ts-check
// Light or dark: the reader's last choice, or else the system's. Loaded first, so that nothing flashes.

const KEY = "kschedui.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** The theme of the link, otherwise the chosen one, otherwise the system's. @returns {"light" | "dark"} */
const wantedTheme = () => {
	const chosen = new URLSearchParams(location.search).get("theme") ?? localStorage.getItem(KEY);
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
	localStorage.setItem(KEY, document.documentElement.dataset.theme === "dark" ? "light" : "dark");
	showTheme();
	document.dispatchEvent(new CustomEvent("themechange"));
});
