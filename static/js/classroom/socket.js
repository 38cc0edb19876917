// @ts-check
/** The websocket of a class: receives the board and sends messages. It reconnects if the connection is lost. */

/**
 * The parts of the player's page that a class needs.
 * @typedef {object} Page
 * @property {HTMLElement} root
 * @property {Player} player
 * @property {ChunkStore} store
 * @property {RunIndex} index
 * @property {{selection: any, pin: string | null}} chosen
 * @property {{drawn: View | null, followers: Set<(before: View | null, now: View) => void>}} screen
 * @property {(motion: boolean) => void} redraw
 * @property {any} boot
 */

/** @typedef {{step: number, frame: number, order: "plugin" | "node", selection: any, by?: string}} Place */
/** @typedef {{id: string, choices: number, counts?: number[], right?: number}} Asked */
/**
 * @typedef {object} Hello
 * @property {{question: string, choice: number} | null} mine this student's answer to the question on screen
 * @property {Record<string, number>} [answers] all of this student's, by the question
 */
/**
 * @typedef {object} Board
 * @property {number} number a higher one is newer
 * @property {Partial<Place>} place
 * @property {boolean} paused
 * @property {number} gathered
 * @property {Partial<Asked>} asked the question on screen; once revealed, with the counts of answers
 * @property {string[]} revealed ids of the questions that were revealed
 * @property {boolean} ended
 * @property {string} [next] the code of the class that goes on with the next lesson
 * @property {[number, number]} [tally] right answers to the revealed questions, and answers
 */
/**
 * @typedef {object} Hearer
 * @property {(board: Board, hello: Hello | null) => void} board `hello`: the first of a connection
 * @property {(message: any) => void} message of another type
 * @property {(lost: boolean) => void} connection
 */

/** Close codes after which a new connection is useless. */
const FINAL = new Set([4001, 4004]);
const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;

export class ClassSocket {
	/** @param {string} url @param {string} code @param {Hearer} hearer @param {typeof WebSocket} [Socket] */
	constructor(url, code, hearer, Socket = WebSocket) {
		this.url = url;
		this.code = code;
		this.hearer = hearer;
		this.Socket = Socket;
		this.wait = FIRST_WAIT;
		this.over = false;
		this.joined = false;
		this.number = -1; // of the last board
	}

	/** Connects to the server, and joins the class. */
	open() {
		const socket = new this.Socket(this.url);
		this.socket = socket;
		socket.onopen = () => socket.send(JSON.stringify({ type: "join", class: this.code }));
		socket.onmessage = ({ data }) => this.handleMessage(JSON.parse(data));
		socket.onclose = ({ code }) => this.onClose(code);
	}

	/**
	 * Sends a message. Returns false without a connection: after joining again, the server sends the state.
	 * @param {object} message
	 */
	say(message) {
		if (this.joined) this.socket?.send(JSON.stringify(message));
		return this.joined;
	}

	/**
	 * Handles a message from the server; a state of the class that is older than the last one is ignored.
	 * @param {any} message
	 */
	handleMessage(message) {
		if (message.type === "hello") {
			this.wait = FIRST_WAIT;
			this.joined = true;
			this.hearer.connection(false);
		}
		if (message.type !== "hello" && message.type !== "board") return this.hearer.message(message);
		if (message.number < this.number && !message.ended) return;
		this.number = message.number;
		this.over = message.ended;
		this.hearer.board(message, message.type === "hello" ? message : null);
	}

	/**
	 * Connects again after a pause that doubles each time, unless the class or the connection is over for good.
	 * @param {number} code
	 */
	onClose(code) {
		this.joined = false;
		if (this.over) return;
		this.hearer.connection(true);
		if (FINAL.has(code)) return;
		setTimeout(() => this.open(), this.wait);
		this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
	}
}

/** The websocket address of a path on this site. @param {string} path */
export function socketAddress(path) {
	return new URL(path, location.href.replace(/^http/, "ws")).href;
}
