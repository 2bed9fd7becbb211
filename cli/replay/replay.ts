import { drainsOf } from "../../journal/drains.ts";
import type { PageStory } from "../../journal/page/page.ts";
import { pictureOf } from "../../journal/picture.ts";
import { later, timestamp } from "../../lambda/base/time.ts";
import { breakages } from "../../sandbox/breakage.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import type { Scenario } from "../../sandbox/scenario.ts";
import { demoNg } from "../../sandbox/scenarios/demo-ng.ts";
import { demoNgLaunch } from "../../sandbox/scenarios/demo-ng-launch.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { writePage } from "../timeline/write-page.ts";
import { deployDemo } from "./deploy-demo.ts";
import { JsonReport } from "./json-report.ts";
import { isLaunch, type ReplayRequest } from "./replay-request.ts";
import type { ReplayResult } from "./replay-result.ts";
import { runReplay } from "./replay-run.ts";
import type { Report } from "./report.ts";
import { TextReport } from "./text-report.ts";
import { inSavedEvent, verdictOf } from "./verdict.ts";

/** Replays an event in a new sandbox, with the function as it is deployed, and reports its progress. */
export async function replay(request: ReplayRequest, io: Io): Promise<ExitCode> {
  const { event, via, broken, format } = request;
  const report = format === "json" ? new JsonReport(io) : new TextReport(io);
  report.open({ event, via, broken: broken === "nothing" ? "" : breakages[broken] });
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
    report.begin({ from, until: later(from, request.timeout) });
    const hush = sandbox.onHappening((happening) => report.tell(happening));
    const result = await runReplay(sandbox, request, io.interrupted);
    hush();
    const verdict = inSavedEvent(verdictOf(result), request);
    report.end(result, verdict);
    if (request.page !== "") writePage(request.page, storyOf(request, result), io);
    return verdict.exitCode;
  } finally {
    await sandbox.close();
  }
}

const storyOf = ({ event }: ReplayRequest, { happenings, from }: ReplayResult): PageStory => ({
  title: `Replay of ${event}`,
  source: `In a sandbox, ${timestamp(from).slice(0, 16).replace("T", " ")} UTC.`,
  drains: drainsOf(happenings).map(pictureOf),
});

/** The half of the demo that an event is about. */
const scenarioOf = ({ action, broken }: ReplayRequest): Scenario =>
  isLaunch(action) ? demoNgLaunch(broken, action) : demoNg(broken, action);
