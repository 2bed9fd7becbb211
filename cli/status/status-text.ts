import type { Paint } from "../terminal/paint.ts";
import { wrapped } from "../terminal/wrap.ts";
import type { StatusLine } from "./status-lines.ts";

const indent = 2;

/** The lines as a terminal of a width shows them; what does not fit goes on below, further in. */
export const statusText = (
  lines: readonly StatusLine[],
  width: number,
  paint: Paint,
): readonly string[] =>
  lines.flatMap(({ tone, depth, text }) => {
    const margin = indent * depth;
    const [first = "", ...rest] = wrapped(text, Math.max(1, width - margin - indent));
    const inner = " ".repeat(margin);
    const below = " ".repeat(margin + indent);
    return [`${inner}${first}`, ...rest.map((more) => `${below}${more}`)].map((one) =>
      paint(tone, one),
    );
  });
