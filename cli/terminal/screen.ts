import type { Io } from "../io.ts";
import { wrapped } from "./wrap.ts";

// A line that fills the last column makes some terminals begin a new one.
const margin = 1;
const lineUp = "\u001b[1A";
const erase = "\r\u001b[2K";

/** Writes lines, below which a terminal shows a status that is drawn anew again and again. */
export class Screen {
  readonly #io: Io;
  #status: readonly string[] = [];

  constructor(io: Io) {
    this.#io = io;
  }

  /** How wide a line may be; endless where lines are not for a terminal. */
  get width(): number {
    const { isTTY, columns } = this.#io.stdout;
    return isTTY === true && columns !== undefined ? columns - margin : Number.POSITIVE_INFINITY;
  }

  /** Whether a status can be drawn anew. */
  get isLive(): boolean {
    const { TERM: terminal } = this.#io.env;
    return this.#io.stdout.isTTY === true && terminal !== "dumb";
  }

  /** Writes lines that stay. */
  write(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}\n`).join("");
    this.#io.stdout.write(`${this.#erased()}${text}${this.#status.join("\n")}`);
  }

  /** Writes a text that stays, and breaks it between words. */
  say(text: string, paint = (line: string) => line): void {
    this.write(wrapped(text, this.width).map(paint));
  }

  /** Writes a text to the error output, and breaks it between words if that is a terminal. */
  complain(text: string): void {
    const { stderr } = this.#io;
    const width = stderr.isTTY === true ? this.width : Number.POSITIVE_INFINITY;
    stderr.write(`${wrapped(text, width).join("\n")}\n`);
  }

  /** Replaces the status, if the terminal can. */
  show(status: readonly string[]): void {
    if (!this.isLive) return;
    const erased = this.#erased();
    this.#status = status;
    this.#io.stdout.write(`${erased}${status.join("\n")}`);
  }

  #erased(): string {
    const [, ...more] = this.#status;
    return this.#status.length === 0 ? "" : erase + more.map(() => lineUp + erase).join("");
  }
}
