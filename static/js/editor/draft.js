// @ts-check
/** Nothing typed is lost: the text is kept in this browser until it is saved. */

const PREFIX = "kschedui.draft.";

/** @param {string} key the scenario's id and version, or "new" */
export function draftOf(key) {
  const name = PREFIX + key;
  return {
    /** @returns {{text: string, at: number} | null} */
    read() {
      try {
        return JSON.parse(localStorage.getItem(name) ?? "null");
      } catch {
        return null;
      }
    },
    /** @param {string} text */
    keep(text) {
      try {
        localStorage.setItem(name, JSON.stringify({ text, at: Date.now() }));
        return true;
      } catch {
        return false; // storage is full or forbidden; the page says so
      }
    },
    forget() {
      localStorage.removeItem(name);
    },
  };
}
