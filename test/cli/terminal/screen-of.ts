const esc = String.fromCharCode(27);
const erased = `\r${esc}[2K`;
const lineUp = `${esc}[1A`;

/** What a terminal shows that can go up a line and erase one. */
export function screenOf(written: string): readonly string[] {
  const marked = written.replaceAll(erased, "⌫").replaceAll(lineUp, "⇧");
  return marked.split(/(?<=[⌫⇧\n])|(?=[⌫⇧\n])/).reduce(drawn, [""]);
}

function drawn(lines: readonly string[], part: string): readonly string[] {
  const before = lines.slice(0, -1);
  if (part === "\n") return [...lines, ""];
  if (part === "⇧") return before;
  return [...before, part === "⌫" ? "" : `${lines.at(-1)}${part}`];
}
