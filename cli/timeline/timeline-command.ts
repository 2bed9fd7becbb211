import { Command } from "commander";
import { type Drain, drainsOf } from "../../journal/drains.ts";
import type { Happening } from "../../journal/happening.ts";
import { deadlineWords, type Picture, pictureOf } from "../../journal/picture.ts";
import { instant, never, timestamp } from "../../lambda/domain/time.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { glyphsFor } from "../terminal/glyphs.ts";
import { paintFor } from "../terminal/paint.ts";
import { Screen } from "../terminal/screen.ts";
import { addLogOptions, type LogOptions, wantedOf } from "./log-options.ts";
import { conclude, type ReadLog, readLog } from "./read-log.ts";
import { timelineChart, usualWidth } from "./timeline-chart.ts";
import { writePage } from "./write-page.ts";

interface Given extends LogOptions {
  readonly html?: string;
}

const examples = `
A drain is one timeline, however many passes it had. The command needs
logs:FilterLogEvents on the log group, and cloudformation:DescribeStacks to find it by the cluster.

Examples:
  npx eks-node-lifecycle timeline i-0123456789abcdef0 --cluster NAME
  npx eks-node-lifecycle timeline i-0123456789abcdef0 --log-group NAME --since 2026-11-20T10:00:00Z --html drain.html
  aws logs tail NAME --since 1d | npx eks-node-lifecycle timeline - --html drains.html
  npx eks-node-lifecycle timeline FILE --json | jq .words
`;

/** Makes the command that shows whole drains, from the function's log. */
export const timelineCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  addLogOptions(
    new Command("timeline").description("show a drain from its mark to its end, from the log"),
  )
    .option("--html <file>", "write the picture into a file that a browser shows")
    .addHelpText("after", examples)
    .action(async (target: string, given: Given, command: Command) => {
      const wanted = await wantedOf(target, given, { command, io });
      const happenings: Happening[] = [];
      const read = await readLog(wanted, io, (happening) => happenings.push(happening));
      const drains = drainsOf(happenings);
      if (given.html !== undefined) draw(given.html, { target, drains }, io);
      if (given.json) tellJson(drains, read, io);
      else if (given.html === undefined) tellText(drains, io);
      ended(conclude(read, target, io));
    });

interface Told {
  readonly target: string;
  readonly drains: readonly Drain[];
}

function draw(file: string, { target, drains }: Told, io: Io): void {
  const [only, ...others] = drains;
  const title =
    only !== undefined && others.length === 0
      ? `Work on ${only.instance}`
      : `Work on ${drains.length} instances`;
  const source = `From the function's log (${target === "-" ? "standard input" : target}), drawn ${timestamp(instant(Date.now())).slice(0, 16).replace("T", " ")} UTC.`;
  writePage(file, { title, source, drains: drains.map(pictureOf) }, io);
}

function tellText(drains: readonly Drain[], io: Io): void {
  const paint = paintFor(io);
  const screen = new Screen(io);
  const width = Math.min(screen.width, io.stdout.columns ?? usualWidth);
  for (const drain of drains) {
    const picture = pictureOf(drain);
    screen.say(headline(picture));
    const chart = timelineChart(drain, { width, paint, glyphs: glyphsFor(io) });
    screen.write([...chart, ""]);
  }
}

function headline(picture: Picture): string {
  const { instance, group, node, words } = picture;
  const of = group === "" ? "" : ` of ${group}`;
  const on = node === "" ? "" : `, node ${node}`;
  const deadline = deadlineWords(picture);
  return `${instance}${of}${on}: ${words}${deadline === "" ? "" : `; ${deadline}`}`;
}

function tellJson(drains: readonly Drain[], read: ReadLog, { stdout }: Io): void {
  for (const drain of drains)
    printJson(stdout, { kind: "drain", ...inTimestamps(pictureOf(drain)) });
  printJson(stdout, { kind: "log", ...read });
}

/** A picture whose times programs can read. */
const inTimestamps = ({ from, to, deadline, rows, ...rest }: Picture) => ({
  ...rest,
  from: timestamp(from),
  to: timestamp(to),
  deadline: deadline === never ? "" : timestamp(deadline),
  rows: rows.map((row) => ({
    ...row,
    spans: row.spans.map((span) => ({
      ...span,
      from: timestamp(span.from),
      to: timestamp(span.to),
    })),
    marks: row.marks.map((mark) => ({ ...mark, at: timestamp(mark.at) })),
  })),
});
