import type { Tone } from "../../journal/line.ts";
import { legible, legibleLines } from "../../lambda/base/legible.ts";

/** The target of texts: a stream of the process, or of a test. */
export interface OutputStream {
  write(text: string): unknown;
  /** True if it is a terminal, rather than a pipe or a file. */
  readonly isTTY?: boolean;
  /** The width in characters; undefined or 0 if unknown. */
  readonly columns?: number;
  /** The height in lines; undefined or 0 if unknown. */
  readonly rows?: number;
}

export interface ColouredText {
  readonly tone: Tone;
  readonly text: string;
}

/** The content of one line: a text, or texts in several colours. */
export type TerminalRow = string | readonly (string | ColouredText)[];

export const span = (tone: Tone, text: string): ColouredText => ({ tone, text });

/** The control sequences for a terminal. */
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

/** A text, or a control sequence. */
export type TerminalWrite = string | { readonly does: keyof typeof sequences };

/**
 * The output of a command. Names, labels and log lines come from others, and a terminal would interpret control characters
 * in them. So every text is made legible here, and colours and cursor movements are values that no text can be.
 */
export class Output {
  readonly #stream: OutputStream;

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true;
  }

  /** The width in characters, if known. */
  get columns(): number | undefined {
    return this.#stream.columns || undefined;
  }

  /** The height in lines, if known. */
  get rows(): number | undefined {
    return this.#stream.rows || undefined;
  }

  /** Writes a text of the product itself, as it is. */
  write(text: string): void {
    this.#stream.write(legibleLines(text));
  }

  /** Writes each text as one line, whatever it contains. */
  writeLine(...texts: readonly string[]): void {
    this.draw(texts.flatMap((text) => [text, { does: "line end" }]));
  }

  /** Writes texts and control sequences. */
  draw(strokes: readonly TerminalWrite[]): void {
    const texts = strokes.map((one) =>
      typeof one === "string" ? legible(one) : sequences[one.does],
    );
    this.#stream.write(texts.join(""));
  }
}
