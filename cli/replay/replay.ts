import { drainsOf } from "../../journal/drains.ts";
import { ofKind, podsGone } from "../../journal/happening.ts";
import type { PageStory } from "../../journal/page/page.ts";
import { pictureOf } from "../../journal/picture.ts";
import { between, later, timestamp } from "../../lambda/base/time.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { breakages, type Scenario } from "../../sandbox/scenario.ts";
import { demoNg } from "../../sandbox/scenarios/demo-ng.ts";
import { demoNgLaunch } from "../../sandbox/scenarios/demo-ng-launch.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type EndOf, type Report, reportFor } from "../progress/report.ts";
import { glyphsFor } from "../terminal/glyphs.ts";
import type { TerminalRow } from "../terminal/output.ts";
import { timelineChart } from "../timeline/timeline-chart.ts";
import { writePage } from "../timeline/write-page.ts";
import { deployDemo } from "./deploy-demo.ts";
import { isLaunch, type ReplayRequest, type ReplayResult } from "./replay-request.ts";
import { runReplay } from "./replay-run.ts";
import { forcedIn, type ReplayVerdict, verdictOf } from "./verdict.ts";

/** Replays an event in a new sandbox, with the function as it is deployed, and reports the progress. */
export async function replay(request: ReplayRequest, io: Io): Promise<ExitCode> {
  const { event, via, broken, format } = request;
  const report = reportFor("replay", format, io);
  const way = via === "queue" ? "through topic and queue" : "by direct invocation";
  report.say(`replaying ${event} ${way}`);
  if (broken !== "nothing") report.say(`broken on purpose: ${breakages[broken]}`, "careful");
  report.start("the sandbox");
  try {
    return await replayed(request, report, io);
  } finally {
    report.close();
  }
}

async function replayed(request: ReplayRequest, report: Report, io: Io): Promise<ExitCode> {
  const deployInto = await deployDemo({ ...request, group: request.action.group });
  const sandbox = await startSandbox(scenarioOf(request), deployInto);
  try {
    const from = sandbox.aws.timeline.now();
    report.begin({ ...replayWords, from, until: later(from, request.timeout) });
    const hush = sandbox.onHappening((happening) => report.tell(happening));
    const result = await runReplay(sandbox, request, io.interrupted);
    hush();
    const verdict = verdictOf(result, request);
    report.end(summaryOf(result, verdict), (width) => chartOf(result, width, io));
    if (request.page !== "") writePage(request.page, storyOf(request, result), io);
    return verdict.exitCode;
  } finally {
    await sandbox.close();
  }
}

/** The words of a replay's report. */
export const replayWords = { awaited: "for the function", limit: "the replay ends" };

export const summaryOf = (
  result: ReplayResult,
  { exitCode, line }: ReplayVerdict,
): EndOf<"summary"> => ({
  kind: "summary",
  exitCode,
  line,
  ending: result.ending,
  elapsed: between(result.from, result.to) / 1000,
  outcomes: result.outcomes,
  completed: ofKind(result.happenings, "hook-completed").map(({ action, result: how }) => ({
    ...action,
    result: how,
  })),
  gone: podsGone(result.happenings),
  forced: forcedIn(result),
  left: result.left,
  ...result.whereabouts,
});

function chartOf(result: ReplayResult, width: number, io: Io): readonly TerminalRow[] {
  const chart = timelineChart(result, { width, glyphs: glyphsFor(io) });
  return chart.length === 0 ? [] : ["", ...chart, ""];
}

const storyOf = ({ event }: ReplayRequest, { happenings, from }: ReplayResult): PageStory => ({
  title: `Replay of ${event}`,
  source: `In a sandbox, ${timestamp(from).slice(0, 16).replace("T", " ")} UTC.`,
  drains: drainsOf(happenings).map(pictureOf),
});

/** The half of the demo that an event is about. */
const scenarioOf = ({ action, broken }: ReplayRequest): Scenario =>
  isLaunch(action) ? demoNgLaunch(broken, action) : demoNg(broken, action);
