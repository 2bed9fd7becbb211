import { Command } from "commander";
import { drainsOf } from "../../journal/drains.ts";
import type { Happening } from "../../journal/happening.ts";
import { deadlineWords, type Picture, pictureOf } from "../../journal/picture.ts";
import { counted } from "../../lambda/base/counted.ts";
import { instant, never, timestamp } from "../../lambda/base/time.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { glyphsFor } from "../terminal/glyphs.ts";
import { Screen } from "../terminal/screen.ts";
import type { GroupStory } from "./group-story.ts";
import { addLogOptions, type LogOptions, wantedOf } from "./log-options.ts";
import { conclude, type ReadLog, readLog } from "./log-source.ts";
import { groupStories } from "./own-stories.ts";
import { chartOf, usualWidth } from "./timeline-chart.ts";
import { writePage } from "./write-page.ts";

const examples = `
A drain is one timeline, however many passes it had, and so is the upgrade of a group. The command needs
logs:FilterLogEvents on the log group, and cloudformation:DescribeStacks to find it by the cluster.

Examples:
  npx eks-node-lifecycle timeline i-0123456789abcdef0 --cluster NAME
  npx eks-node-lifecycle timeline i-0123456789abcdef0 --log-group NAME --since 2026-11-20T10:00:00Z --html drain.html
  npx eks-node-lifecycle timeline GROUP --cluster NAME --html upgrade.html
  aws logs tail NAME --since 1d | npx eks-node-lifecycle timeline - --html drains.html
  npx eks-node-lifecycle timeline FILE --json | jq .words

Exit codes:
  0  shown
  1  something broke; one line says why
  2  wrong usage
    3  no entry was found; --since looks further back`;

/** The command that draws whole drains from the function's log. */
export const timelineCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  addLogOptions(
    new Command("timeline").description(
      "show a drain or an upgrade from its beginning to its end, from the log",
    ),
  )
    .option("--html <file>", "write the picture into a file that a browser shows")
    .addHelpText("after", examples)
    .action(
      async (target: string, given: LogOptions & { readonly html?: string }, command: Command) => {
        const wanted = await wantedOf(target, given, { command, io });
        const happenings: Happening[] = [];
        const read = await readLog(wanted, io, (happening) => happenings.push(happening));
        const { stories, others } = groupStories(happenings);
        const pictures = { stories, drains: drainsOf(others).map(pictureOf) };
        if (given.html !== undefined) draw(given.html, { ...pictures, target }, io);
        if (given.json) tellJson(pictures, read, io);
        else if (given.html === undefined) tellText(pictures, io);
        ended(await conclude(read, { ...wanted, target }, io));
      },
    );

interface Pictures {
  readonly stories: readonly GroupStory[];
  readonly drains: readonly Picture[];
}

function draw(file: string, pictures: Pictures & { readonly target: string }, io: Io): void {
  const { target, stories, drains } = pictures;
  const title = titleOf(pictures);
  const source = `From the function's log (${target === "-" ? "standard input" : target}), drawn ${timestamp(instant(Date.now())).slice(0, 16).replace("T", " ")} UTC.`;
  writePage(file, { title, source, drains: [...stories, ...drains] }, io);
}

function titleOf({ stories, drains }: Pictures): string {
  const [story] = stories;
  const count = story === undefined ? "" : counted(stories.length, story.work);
  if (story !== undefined && drains.length === 0)
    return stories.length === 1 ? `${capital(story.work)} of ${story.group}` : count;
  const [only, ...others] = drains;
  const work =
    only !== undefined && others.length === 0
      ? `Work on ${only.instance}`
      : `Work on ${drains.length} instances`;
  return count === "" ? work : `${work}, and ${count}`;
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function tellText({ stories, drains }: Pictures, io: Io): void {
  const screen = new Screen(io);
  const width = Math.min(screen.width, io.stdout.columns ?? usualWidth);
  for (const picture of [...stories, ...drains]) {
    screen.say(headline(picture));
    const chart = chartOf(picture, { width, glyphs: glyphsFor(io) });
    screen.write([...chart, ""]);
  }
}

function headline(picture: Picture): string {
  const { instance, group, node, words } = picture;
  if (instance === "") return `${group}: ${words}`;
  const of = group === "" ? "" : ` of ${group}`;
  const on = node === "" ? "" : `, node ${node}`;
  const deadline = deadlineWords(picture);
  return `${instance}${of}${on}: ${words}${deadline === "" ? "" : `; ${deadline}`}`;
}

function tellJson({ stories, drains }: Pictures, read: ReadLog, { stdout }: Io): void {
  for (const { kind, id, work, instance, node, deadline, ...story } of stories)
    printJson(stdout, { kind, id, ...inTimestamps(story) });
  for (const { deadline, ...drain } of drains)
    printJson(stdout, {
      kind: "drain",
      ...inTimestamps(drain),
      deadline: deadline === never ? "" : timestamp(deadline),
    });
  printJson(stdout, { kind: "log", ...read });
}

/** A picture with times for programs. */
const inTimestamps = <T extends Pick<Picture, "from" | "rows" | "to">>({
  from,
  to,
  rows,
  ...rest
}: T) => ({
  ...rest,
  from: timestamp(from),
  to: timestamp(to),
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
