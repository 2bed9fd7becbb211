import { drainsOf } from "../../journal/drains.ts";
import type { PageStory } from "../../journal/page/page.ts";
import { pictureOf } from "../../journal/picture.ts";
import { timestamp } from "../../lambda/base/time.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { breakages, type Scenario } from "../../sandbox/scenario.ts";
import { demoNg } from "../../sandbox/scenarios/demo-ng.ts";
import { demoNgLaunch } from "../../sandbox/scenarios/demo-ng-launch.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { glyphsFor } from "../terminal/glyphs.ts";
import type { TerminalRow } from "../terminal/output.ts";
import { timelineChart } from "../timeline/timeline-chart.ts";
import { writePage } from "../timeline/write-page.ts";
import { deployDemo } from "./deploy-demo.ts";
import { isLaunch, type ReplayRequest, type ReplayResult } from "./replay-request.ts";
import { runReplay } from "./replay-run.ts";
import { type Stage, stagedReplay } from "./staged-replay.ts";
import { verdictOf } from "./verdict.ts";

/** Replays an event in a new sandbox, with the function as it is deployed, and reports the progress. */
export async function replay(request: ReplayRequest, io: Io): Promise<ExitCode> {
  const { action, broken, page } = request;
  const stage: Stage = {
    start: async () =>
      startSandbox(scenarioOf(request), await deployDemo({ ...request, group: action.group })),
    run: (sandbox) => runReplay(sandbox, request, io.interrupted),
    judge: (result) => verdictOf(result, request),
    draw: (result, width) => chartOf(result, width, io),
  };
  const words = broken === "nothing" ? "" : breakages[broken];
  const { result, verdict } = await stagedReplay({ ...request, broken: words }, stage, io);
  if (page !== "") writePage(page, storyOf(request, result), io);
  return verdict.exitCode;
}

function chartOf(result: ReplayResult, width: number, io: Io): readonly TerminalRow[] {
  const chart = timelineChart(result, { width, glyphs: glyphsFor(io) });
  return chart.length === 0 ? [] : ["", ...chart, ""];
}

/** The page counts from where the lines at the terminal do: the moment at which the event was sent. */
const storyOf = ({ event }: ReplayRequest, { happenings, from }: ReplayResult): PageStory => ({
  title: `Replay of ${event}`,
  source: `In a sandbox, ${timestamp(from).slice(0, 16).replace("T", " ")} UTC.`,
  drains: drainsOf(happenings).map((drain) => pictureOf({ ...drain, from })),
});

/** The half of the demo that an event is about. */
const scenarioOf = ({ action, broken }: ReplayRequest): Scenario =>
  isLaunch(action) ? demoNgLaunch(broken, action) : demoNg(broken, action);
