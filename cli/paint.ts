import picocolors from "picocolors";
import type { Tone } from "../journal/tone.ts";
import type { Io } from "./io.ts";

/** Puts a text in the colour of its tone. */
export type Paint = (tone: Tone, text: string) => string;

/** Colours are for people: there are none without a terminal or with NO_COLOR set. */
export function paintFor({ stdout, env }: Pick<Io, "stdout" | "env">): Paint {
  const { NO_COLOR: refusal = "", TERM: terminal } = env;
  const wanted = stdout.isTTY === true && refusal === "" && terminal !== "dumb";
  const { dim, green, cyan, yellow, red } = picocolors.createColors(wanted);
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
