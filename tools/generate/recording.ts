import { writeFileSync } from "node:fs";
import { main } from "../../cli/main.ts";
import { Output } from "../../cli/terminal/output.ts";

const event = "events/demo-ng-terminate.json";
const row = 17;
const margin = 20;

/** A line of the terminal, and how many seconds after the start it was written. */
interface RecordedLine {
  readonly text: string;
  readonly at: number;
}

/** Runs the replay of the README, and returns what it wrote, and when. */
async function recorded(): Promise<readonly RecordedLine[]> {
  const lines: RecordedLine[] = [];
  const start = Date.now();
  const write = (chunk: string) => {
    const at = (Date.now() - start) / 1000;
    for (const text of chunk.replace(/\n$/, "").split("\n")) lines.push({ text, at });
  };
  await main(["replay", event], {
    stdout: new Output({ write }),
    stderr: new Output({ write }),
    readInput: async () => "",
    env: {},
    cwd: process.cwd(),
    interrupted: new AbortController().signal,
  });
  return lines;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A line that appears at its moment. */
const drawn = ({ text, at }: RecordedLine, index: number): string =>
  `<text x="${margin}" y="${margin + (index + 2) * row}" style="animation-delay:${at.toFixed(1)}s" xml:space="preserve">${escaped(text)}</text>`;

/** Draws a recording as an SVG that plays it once. */
function pictureOf(lines: readonly RecordedLine[]): string {
  const width = 2 * margin + 6.63 * Math.max(...lines.map(({ text }) => text.length));
  const height = 2 * margin + (lines.length + 2) * row;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${height}" role="img" aria-labelledby="title about">
<title id="title">A replay in a terminal</title>
<desc id="about">${escaped(lines.map(({ text }) => text.trim()).join("\n"))}</desc>
<style>
rect{fill:#f6f8fa}text{font:11px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328;white-space:pre;animation:show .01s both}.typed{fill:#57606a}
@keyframes show{from{opacity:0}}
@media (prefers-reduced-motion){text{animation:none}}
@media (prefers-color-scheme:dark){rect{fill:#161b22}text{fill:#e6edf3}.typed{fill:#a5b0bc}}
</style>
<rect width="100%" height="100%" rx="8"/>
<text class="typed" x="${margin}" y="${margin + row / 2}">$ npm run replay -- ${event}</text>
${lines.map(drawn).join("\n")}
</svg>
`;
}

writeFileSync("docs/pictures/replay.svg", pictureOf(await recorded()));
