import picocolors from "picocolors";
import type { Tone } from "../../journal/tone.ts";
import type { Io } from "../io.ts";

/** Puts a text in the colour of its tone. */
export type Paint = (tone: Tone, text: string) => string;

/** Colours are for terminals, and for whoever sets FORCE_COLOR; NO_COLOR switches them off for all. */
export function paintFor(io: Pick<Io, "stdout" | "env">): Paint {
  const { dim, green, cyan, yellow, red } = picocolors.createColors(wantsColours(io));
  const brushes: Readonly<Record<Tone, (text: string) => string>> = {
    plain: (text) => text,
    faint: dim,
    good: green,
    change: cyan,
    careful: yellow,
    bad: red,
  };
  return (tone, text) => brushes[tone](text);
}

function wantsColours({ stdout, env }: Pick<Io, "stdout" | "env">): boolean {
  const { NO_COLOR: refusal = "", FORCE_COLOR: force = "", TERM: terminal } = env;
  if (refusal !== "") return false;
  if (force !== "") return force !== "0" && force !== "false";
  return stdout.isTTY === true && terminal !== "dumb";
}
