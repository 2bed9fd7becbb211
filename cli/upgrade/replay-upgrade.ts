import { ofKind } from "../../journal/happening.ts";
import { has } from "../../lambda/base/read.ts";
import { between, minutes, seconds, spoken } from "../../lambda/base/time.ts";
import { tryJson } from "../../lambda/base/try-json.ts";
import { drainSettings } from "../../lambda/config/settings.ts";
import type { UpgradeEnd } from "../../lambda/upgrade/upgrade-entry.ts";
import type { Transition } from "../../sandbox/aws/lifecycle.ts";
import type { Deployment, DeploymentWorld } from "../../sandbox/deployment.ts";
import { bundleIn, type FunctionCode } from "../../sandbox/lambda/lambda-service.ts";
import { deployQueueFunctions, type QueueFunctionSpec } from "../../sandbox/queue-function.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { demoNgUpgrade, demoUpgrade } from "../../sandbox/scenarios/demo-ng-upgrade.ts";
import { exitCodes } from "../exit-code.ts";
import { functionFolder, nodeFunction } from "../replay/deploy-demo.ts";
import type { ReplayEnding, ReplayRequest, ReplayResult } from "../replay/replay-request.ts";
import { untilStopped, whereaboutsIn } from "../replay/replay-run.ts";
import type { OwnReplay } from "../replay/staged-replay.ts";
import { type ReplaySource, type ReplayVerdict, tryFailed } from "../replay/verdict.ts";

/** Upgrades a group of six nodes in a new sandbox, with the functions as they are deployed. */
export const upgradeReplay: OwnReplay = {
  of: "an upgrade",
  isOf: ({ message }) => has(tryJson(message), "upgrade"),
  timeout: seconds(300),
  stage: (request) => ({
    start: async () => startSandbox(demoNgUpgrade(), await deployUpgradeDemo()),
    run: (sandbox, interrupted) => upgraded(sandbox, request, interrupted),
    judge: (result) => verdictOf(result, request),
    draw: () => [],
  }),
};

async function upgraded(
  sandbox: Sandbox,
  { messages, timeout }: Pick<ReplayRequest, "messages" | "timeout">,
  interrupted: AbortSignal,
): Promise<ReplayResult> {
  const { timeline } = sandbox.aws;
  const from = timeline.now();
  const stopped = untilStopped(timeout, interrupted).then(({ ending }) => ending);
  const answered = untilAnswered(sandbox, messages.length);
  if (!interrupted.aborted)
    for (const message of messages) sandbox.publish(demoUpgrade.names.topic, message);
  const ending = await Promise.race([answered, stopped]);
  const happenings = [...sandbox.happenings()];
  const [held] = ofKind(happenings, "upgrade-held").slice(-1);
  return {
    ending,
    via: "queue",
    from,
    to: timeline.now(),
    happenings,
    outcomes: [],
    left: ending === "answered" || held === undefined ? [] : [held.reason],
    whereabouts: whereaboutsIn(sandbox, demoUpgrade.names),
  };
}

/** Waits until the function has answered the message, or has failed with a fault. */
function untilAnswered(sandbox: Sandbox, messages: number): Promise<ReplayEnding> {
  const { promise, resolve } = Promise.withResolvers<ReplayEnding>();
  let isFaulted = false;
  sandbox.onHappening((happening) => {
    if (happening.kind === "upgrade-answered") resolve("answered");
    isFaulted ||= happening.kind === "fault" && !happening.retryable;
    if (!isFaulted || happening.kind !== "invocation-ended") return;
    // The function that failed has sent its message to the dead letters; the other function has queues of its own.
    const { waiting } = whereaboutsIn(sandbox, demoUpgrade.names);
    if (waiting.length < messages) resolve("faulted");
  });
  return promise;
}

function verdictOf(result: ReplayResult, request: ReplaySource): ReplayVerdict {
  const { ending, happenings, left } = result;
  const failed = ending === "faulted" ? tryFailed(result, request) : undefined;
  if (failed !== undefined) return failed;
  const took = spoken(between(result.from, result.to));
  const [answer] = ofKind(happenings, "upgrade-answered").slice(-1);
  if (answer === undefined)
    return { exitCode: exitCodes.notDone, line: [`not done after ${took}`, ...left].join("; ") };
  return isDone(answer.end)
    ? { exitCode: exitCodes.done, line: `upgraded in ${took}: ${doneWords(result)}` }
    : { exitCode: exitCodes.notDone, line: `not done: ${notDoneWords(result, answer.end)}` };
}

const isDone = (end: UpgradeEnd): boolean => end.kind === "ended" && end.outcome === "done";

function doneWords({ happenings }: ReplayResult): string {
  const replaced = ofKind(happenings, "upgrade-nodes").flatMap(({ deed, nodes }) =>
    deed === "replaced" ? nodes : [],
  );
  const evicted = ofKind(happenings, "pod-evicted").length;
  return `${replaced.length} old nodes replaced, ${evicted} pods evicted within their budgets`;
}

function notDoneWords({ happenings }: ReplayResult, end: UpgradeEnd): string {
  if (end.kind === "refused") return end.reasons.join("; ");
  const [failing] = ofKind(happenings, "upgrade-failing").slice(-1);
  return failing === undefined ? end.kind : `${failing.code}: ${failing.message}`;
}

type CodeOf = (name: "node" | "upgrade") => Promise<FunctionCode>;

const built: CodeOf = async (name) => bundleIn(await functionFolder(name));

/**
 * Returns a function that deploys both functions and the group's hooks for the demo of an upgrade. It builds them unless it
 * is given their code.
 */
export async function deployUpgradeDemo(
  codeOf: CodeOf = built,
): Promise<(world: DeploymentWorld) => Deployment> {
  const functions: readonly QueueFunctionSpec[] = [
    { ...nodeFunction(demoNode, quick), code: await codeOf("node") },
    {
      ...nodeFunction({ ...demoNode, ...demoUpgrade }, quick),
      code: await codeOf("upgrade"),
    },
  ];
  return (world) => {
    const deployment = deployQueueFunctions(functions, world);
    putHooks(world, deployment.topic(demoNode.names.topic).arn);
    return deployment;
  };
}

// In the sandbox no object appears late.
const quick = { [drainSettings.settle.key]: "1" };

const hooks = [
  ["Launch-LC-Hook", "autoscaling:EC2_INSTANCE_LAUNCHING", "ABANDON"],
  ["Terminate-LC-Hook", "autoscaling:EC2_INSTANCE_TERMINATING", "CONTINUE"],
] as const satisfies readonly (readonly [string, Transition, string])[];

function putHooks({ aws: { autoScaling } }: DeploymentWorld, targetArn: string): void {
  for (const group of demoNode.managedGroups)
    for (const [name, transition, defaultResult] of hooks)
      autoScaling.putHook(group, {
        name,
        transition,
        defaultResult,
        targetArn,
        heartbeat: minutes(30),
      });
}
