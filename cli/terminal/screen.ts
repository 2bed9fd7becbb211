import type { Tone } from "../../journal/line.ts";
import type { Io } from "../io.ts";
import { span, type TerminalRow, type TerminalWrite } from "./output.ts";
import { wrapped } from "./wrap.ts";

type Paint = (row: TerminalRow) => readonly TerminalWrite[];

/** Uses colours on a terminal, or if FORCE_COLOR is set. NO_COLOR switches them off. */
function paintFor(io: Pick<Io, "stdout" | "env">): Paint {
  const painted = wantsColours(io) ? coloured : (_: Tone, text: string) => [text];
  return (row) =>
    typeof row === "string"
      ? [row]
      : row.flatMap((part) => (typeof part === "string" ? part : painted(part.tone, part.text)));
}

function coloured(tone: Tone, text: string): readonly TerminalWrite[] {
  if (tone === "plain") return [text];
  return [{ does: tone }, text, { does: tone === "faint" ? "faint end" : "colour end" }];
}

function wantsColours({ stdout, env }: Pick<Io, "stdout" | "env">): boolean {
  const { NO_COLOR: refusal = "", FORCE_COLOR: force = "", TERM: terminal } = env;
  if (refusal !== "") return false;
  if (force !== "") return force !== "0" && force !== "false";
  return stdout.isTTY && terminal !== "dumb";
}

// Some terminals begin a new line after one that fills the last column.
const margin = 1;
const lineEnd = { does: "line end" } as const;
const erase = { does: "erase" } as const;
const lineUp = { does: "line up" } as const;

/** Writes lines and, on a terminal, a status below them that is redrawn. */
export class Screen {
  readonly #io: Io;
  readonly #paint: Paint;
  #status: readonly TerminalRow[] = [];

  constructor(io: Io) {
    this.#io = io;
    this.#paint = paintFor(io);
  }

  /** The width of a line; unlimited without a terminal. */
  get width(): number {
    const { isTTY, columns } = this.#io.stdout;
    return isTTY && columns !== undefined ? columns - margin : Number.POSITIVE_INFINITY;
  }

  /** True if a status can be redrawn. */
  get isLive(): boolean {
    const { TERM: terminal } = this.#io.env;
    return this.#io.stdout.isTTY && terminal !== "dumb";
  }

  /** Writes permanent lines. */
  write(rows: readonly TerminalRow[]): void {
    const lines = rows.flatMap((row) => [...this.#paint(row), lineEnd]);
    this.#io.stdout.draw([...this.#erased(), ...lines, ...this.#drawn()]);
  }

  /** Writes a permanent text, wrapped between words. */
  say(text: string, tone: Tone = "plain"): void {
    this.write(wrapped(text, this.width).map((line) => [span(tone, line)]));
  }

  /** Writes a text to the error output, above the status; wrapped on a terminal. */
  complain(text: string): void {
    const { stdout, stderr } = this.#io;
    const width = stderr.isTTY ? this.width : Number.POSITIVE_INFINITY;
    if (this.#status.length > 0) stdout.draw(this.#erased());
    for (const line of wrapped(text, width)) stderr.writeLine(line);
    if (this.#status.length > 0) stdout.draw(this.#drawn());
  }

  /** Replaces the status, if the terminal supports it. */
  show(status: readonly TerminalRow[]): void {
    if (!this.isLive) return;
    const erased = this.#erased();
    this.#status = status;
    this.#io.stdout.draw([...erased, ...this.#drawn()]);
  }

  #drawn(): readonly TerminalWrite[] {
    return this.#status.flatMap((row, index) => [
      ...(index > 0 ? [lineEnd] : []),
      ...this.#paint(row),
    ]);
  }

  #erased(): readonly TerminalWrite[] {
    const [, ...more] = this.#status;
    return this.#status.length === 0 ? [] : [erase, ...more.flatMap(() => [lineUp, erase])];
  }
}
