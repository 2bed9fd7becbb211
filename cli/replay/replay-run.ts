import { type AnsweredOutcome, readOutcomes } from "../../journal/entry-schema.ts";
import { type Happening, type HappeningOf, ofKind, tryWhyLeft } from "../../journal/happening.ts";
import type { Outcome } from "../../journal/outcome.ts";
import { rowOf } from "../../journal/outcome-table.ts";
import type { Duration } from "../../lambda/base/time.ts";
import { holdOnPod, type PodHold } from "../../sandbox/pod-watch.ts";
import type { QueueFunctionNames } from "../../sandbox/queue-function.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { justCome } from "./just-come.ts";
import type { ReplayEnding, ReplayRequest, ReplayResult, Whereabouts } from "./replay-request.ts";
import type { SavedMessage } from "./saved-event-schema.ts";

/** Why a replay ended, and the outcomes. */
interface ReplayEnd {
  readonly ending: ReplayEnding;
  readonly outcomes: readonly AnsweredOutcome[];
}

/** The sandbox of a replay. */
export interface ReplayStage
  extends Pick<Sandbox, "cluster" | "happenings" | "onHappening" | "publish" | "invoke"> {
  readonly aws: Pick<Sandbox["aws"], "timeline">;
  readonly deployment: Pick<Sandbox["deployment"], "queue">;
}

const { names } = demoNode;
const replacementsWait = 10_000;

/** Sends the messages of an event to the function, and waits for the result. */
export async function runReplay(
  sandbox: ReplayStage,
  request: ReplayRequest,
  interrupted: AbortSignal,
): Promise<ReplayResult> {
  const { timeline } = sandbox.aws;
  const from = timeline.now();
  const stopped = untilStopped(request.timeout, interrupted);
  const way = request.via === "queue" ? throughQueue : directly;
  const begun = interrupted.aborted ? [] : [way(sandbox, request)];
  const course = await Promise.race([...begun, stopped]);
  if (course.ending === "answered")
    await Promise.race([untilReplaced(sandbox), stopped, pause(replacementsWait)]);
  return {
    ...course,
    via: request.via,
    from,
    to: timeline.now(),
    happenings: [...sandbox.happenings()],
    left: course.ending === "answered" ? [] : leftIn(sandbox),
    whereabouts: whereaboutsIn(sandbox, names),
  };
}

async function throughQueue(
  sandbox: ReplayStage,
  { messages, timeout }: ReplayRequest,
): Promise<ReplayEnd> {
  const end = untilWorkedOff(sandbox, timeout);
  const now = sandbox.aws.timeline.now();
  for (const message of messages) sandbox.publish(names.topic, justCome(message, now));
  const ending = await end;
  return { ending, outcomes: outcomesIn(sandbox.happenings()) };
}

/** The outcomes of the notices. If a notice was delivered several times, it counts as done once one delivery has done it. */
function outcomesIn(happenings: readonly Happening[]): readonly Outcome[] {
  const ends = ofKind(happenings, "notice-done");
  const isDone = (outcome: Outcome) => rowOf(outcome).exit === "done";
  const done = new Set(ends.filter(({ outcome }) => isDone(outcome)).map(({ notice }) => notice));
  return ends
    .filter(({ notice, outcome }) => isDone(outcome) || !done.has(notice))
    .map(({ outcome }) => outcome);
}

async function directly(sandbox: ReplayStage, { messages }: ReplayRequest): Promise<ReplayEnd> {
  const now = sandbox.aws.timeline.now();
  const ask = (message: SavedMessage) =>
    sandbox.invoke(names.function, names.topic, justCome(message, now));
  const results = await Promise.all(messages.map(ask));
  const answers = results.map((result) =>
    result.kind === "ok" ? readOutcomes(result.payload) : [],
  );
  const ending = answers.every(({ length }) => length > 0) ? "answered" : "faulted";
  return { ending, outcomes: answers.flat() };
}

/** Waits until the user stops the replay or its time limit passes. */
export function untilStopped(timeout: Duration, interrupted: AbortSignal): Promise<ReplayEnd> {
  const course = (ending: ReplayEnding): ReplayEnd => ({ ending, outcomes: [] });
  if (interrupted.aborted) return Promise.resolve(course("interrupted"));
  return new Promise((resolve) => {
    interrupted.addEventListener("abort", () => resolve(course("interrupted")));
    pause(timeout).then(
      () => resolve(course("timed-out")),
      () => undefined,
    );
  });
}

/** The pods and volumes that still hold the node, if the function has reported them. */
function leftIn(sandbox: ReplayStage): readonly string[] {
  const happenings = sandbox.happenings();
  const held = ofKind(happenings, "pods-seen").flatMap(({ holding }) => holding);
  const said = ofKind(happenings, "pass-ended").at(-1)?.left ?? [];
  return [...new Set(held)].flatMap((pod) => {
    const hold = holdOnPod(sandbox.cluster, pod);
    if (hold === "gone") return [];
    return [`${pod}: ${tryWhyLeft(pod, said) ?? holdWords(hold)}`];
  });
}

const holdWords = (hold: Exclude<PodHold, "gone">): string => {
  if (typeof hold === "object") return hold.budgets;
  return hold === "free" ? "not evicted yet" : hold;
};

/** Where the unfinished messages are. */
export function whereaboutsIn(
  { deployment }: Pick<ReplayStage, "deployment">,
  names: Pick<QueueFunctionNames, "deadLetters" | "queue">,
): Whereabouts {
  const queue = deployment.queue(names.queue);
  const deadLetters = deployment.queue(names.deadLetters);
  return {
    queue: queue.settings.name,
    waiting: queue.contents().map(({ handling }) => handling.receives),
    deadLetterQueue: deadLetters.settings.name,
    deadLetters: deadLetters.contents().length,
  };
}

/** Waits without keeping the process alive. */
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });

type SandboxHappenings = Pick<Sandbox, "happenings" | "onHappening">;

/** The end of the function's work on all messages. */
type WorkedOff = "answered" | "resting" | "faulted";

/**
 * Waits until the function is done with every message of the queue, or until a pass ends in a fault.
 *
 * After a fault the queue would deliver the message again and again, for hours. The function is done with a message also
 * when its work has an outcome and the message comes back to clean up. A message that rests for longer than a replay lasts
 * is not waited for.
 */
function untilWorkedOff(
  sandbox: SandboxHappenings & { readonly deployment: Pick<Sandbox["deployment"], "queue"> },
  timeout: Duration,
): Promise<WorkedOff> {
  const { promise, resolve } = Promise.withResolvers<WorkedOff>();
  const queue = sandbox.deployment.queue(demoNode.names.queue);
  sandbox.onHappening((happening) => {
    if (happening.kind !== "invocation-ended") return;
    const states = queue
      .contents()
      .map(({ message }) => stateOf(message.id, sandbox.happenings(), timeout));
    if (states.every((state) => state === "done")) resolve("answered");
    else if (!states.includes("open")) resolve("resting");
    else if (endedInFault(sandbox.happenings(), happening)) resolve("faulted");
  });
  return promise;
}

/** The expected fate of a message in the queue, from the function's last entry about it. */
function stateOf(
  messageId: string,
  happenings: readonly Happening[],
  timeout: Duration,
): "done" | "rests" | "open" {
  const last = happenings.findLast(
    (one) => one.source === "function" && one.messageId === messageId && passKinds.has(one.kind),
  );
  if (last?.kind === "notice-done") return "done";
  return last?.kind === "pass-ended" && last.wait > timeout ? "rests" : "open";
}

const passKinds = new Set<Happening["kind"]>([
  "pass-started",
  "pass-ended",
  "notice-done",
  "fault",
]);

/** True if an invocation returned a message because of a fault, and not for its next pass. */
function endedInFault(
  happenings: readonly Happening[],
  end: HappeningOf<"invocation-ended">,
): boolean {
  if (end.how === "failed") return true;
  const before = happenings.slice(0, happenings.indexOf(end));
  const begun = before.findLastIndex(({ kind }) => kind === "invocation-ended") + 1;
  const during = before.slice(begun);
  const faults = ofKind(during, "fault").length;
  return faults > 0 && end.handedBack > ofKind(during, "pass-ended").length;
}

/** Waits until every evicted pod has a running replacement. */
function untilReplaced(sandbox: SandboxHappenings): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    const happenings = sandbox.happenings();
    const evicted = [...ofKind(happenings, "pod-evicted"), ...ofKind(happenings, "pod-deleted")];
    const replaced = ofKind(happenings, "pod-running").map(({ replaces }) => replaces);
    if (evicted.every(({ pod }) => replaced.includes(pod))) resolve();
  };
  sandbox.onHappening(look);
  look();
  return promise;
}
