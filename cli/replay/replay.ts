import { breakages } from "../../sandbox/breakage.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import type { Scenario } from "../../sandbox/scenario.ts";
import { demoNg } from "../../sandbox/scenarios/demo-ng.ts";
import { demoNgLaunch } from "../../sandbox/scenarios/demo-ng-launch.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { deployDemo } from "./deploy-demo.ts";
import { JsonReport } from "./json-report.ts";
import { isLaunch, type ReplayRequest } from "./replay-request.ts";
import { runReplay } from "./replay-run.ts";
import { TextReport } from "./text-report.ts";
import { verdictOf } from "./verdict.ts";

/** Replays an event in a new sandbox, with the function as it is deployed, and reports its progress. */
export async function replay(request: ReplayRequest, io: Io): Promise<ExitCode> {
  const deployInto = await deployDemo({ ...request, group: request.action.group });
  const sandbox = await startSandbox(scenarioOf(request), deployInto);
  try {
    return await told(sandbox, request, io);
  } finally {
    await sandbox.close();
  }
}

/** The half of the demo that an event is about. */
const scenarioOf = ({ action, broken }: ReplayRequest): Scenario =>
  isLaunch(action) ? demoNgLaunch(broken, action) : demoNg(broken, action);

async function told(sandbox: Sandbox, request: ReplayRequest, io: Io): Promise<ExitCode> {
  const { event, via, broken, format } = request;
  const report = format === "json" ? new JsonReport(io) : new TextReport(io);
  const from = sandbox.aws.timeline.now();
  report.begin({ event, via, broken: broken === "nothing" ? "" : breakages[broken], from });
  const hush = sandbox.onHappening((happening) => report.tell(happening));
  const result = await runReplay(sandbox, request, io.interrupted);
  hush();
  const verdict = verdictOf(result);
  report.end(result, verdict);
  return verdict.exitCode;
}
