import type { Tone } from "../../journal/line.ts";
import { legible, legibleLines } from "../../lambda/base/legible.ts";

/** What a process, or a test, has texts written to. */
export interface OutputStream {
  write(text: string): unknown;
  /** Whether it is a terminal, rather than a pipe or a file. */
  readonly isTTY?: boolean;
  /** How wide a line may be; unknown, or 0, if nobody has told the terminal. */
  readonly columns?: number;
  /** How many lines a terminal shows; unknown, or 0, if nobody has told it. */
  readonly rows?: number;
}

/** A text in the colour of its tone. */
export interface ColouredText {
  readonly tone: Tone;
  readonly text: string;
}

/** What stands on one line: a text, or spans beside each other. */
export type TerminalRow = string | readonly (string | ColouredText)[];

/** A text in the colour of its tone. */
export const span = (tone: Tone, text: string): ColouredText => ({ tone, text });

/** All that a terminal is told besides text. */
const sequences = {
  "line end": "\n",
  "line up": "\u001b[1A",
  erase: "\r\u001b[2K",
  faint: "\u001b[2m",
  "faint end": "\u001b[22m",
  good: "\u001b[32m",
  change: "\u001b[36m",
  careful: "\u001b[33m",
  bad: "\u001b[31m",
  "colour end": "\u001b[39m",
};

/** A text, or something that a terminal is told. */
export type TerminalWrite = string | { readonly does: keyof typeof sequences };

/**
 * Where commands write to.
 *
 * Names, labels and log lines are written by others, and a terminal obeys what stands in them. So every text becomes
 * legible here, and colours and moves are values, which no text can be.
 */
export class Output {
  readonly #stream: OutputStream;

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true;
  }

  /** How wide a line may be, if that is known. */
  get columns(): number | undefined {
    return this.#stream.columns || undefined;
  }

  /** How many lines a terminal shows, if that is known. */
  get rows(): number | undefined {
    return this.#stream.rows || undefined;
  }

  /** Writes a text of the product's own lines. */
  write(text: string): void {
    this.#stream.write(legibleLines(text));
  }

  /** Writes each text as one line, whatever is in it. */
  writeLine(...texts: readonly string[]): void {
    this.draw(texts.flatMap((text) => [text, { does: "line end" }]));
  }

  /** Writes texts, and tells the terminal something in between. */
  draw(strokes: readonly TerminalWrite[]): void {
    const texts = strokes.map((one) =>
      typeof one === "string" ? legible(one) : sequences[one.does],
    );
    this.#stream.write(texts.join(""));
  }
}
