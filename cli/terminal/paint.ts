import type { Tone } from "../../journal/tone.ts";
import type { Io } from "../io.ts";
import type { Row, Stroke } from "./output.ts";

/** Makes strokes of a row. */
export type Paint = (row: Row) => readonly Stroke[];

/** Colours are for terminals, and for whoever sets FORCE_COLOR; NO_COLOR switches them off for all. */
export function paintFor(io: Pick<Io, "stdout" | "env">): Paint {
  const painted = wantsColours(io) ? coloured : (_: Tone, text: string) => [text];
  return (row) =>
    typeof row === "string"
      ? [row]
      : row.flatMap((part) => (typeof part === "string" ? part : painted(part.tone, part.text)));
}

function coloured(tone: Tone, text: string): readonly Stroke[] {
  if (tone === "plain") return [text];
  return [{ does: tone }, text, { does: tone === "faint" ? "faint end" : "colour end" }];
}

function wantsColours({ stdout, env }: Pick<Io, "stdout" | "env">): boolean {
  const { NO_COLOR: refusal = "", FORCE_COLOR: force = "", TERM: terminal } = env;
  if (refusal !== "") return false;
  if (force !== "") return force !== "0" && force !== "false";
  return stdout.isTTY && terminal !== "dumb";
}
