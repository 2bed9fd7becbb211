import { type AnsweredOutcome, readOutcomes } from "../../journal/entry-schema.ts";
import { type Happening, ofKind, tryWhyLeft } from "../../journal/happening.ts";
import { rowOf } from "../../journal/outcome-table.ts";
import type { Duration } from "../../lambda/base/time.ts";
import type { Outcome } from "../../lambda/notice/outcome.ts";
import { type Hold, holdOnPod } from "../../sandbox/hold-on-pod.ts";
import type { QueueFunctionNames } from "../../sandbox/queue-function.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { untilReplaced, untilWorkedOff } from "./replay-end.ts";
import type { Ending, ReplayRequest, ReplayResult, Whereabouts } from "./replay-request.ts";
import type { Message } from "./saved-event-schema.ts";

/** How a replay ended, and with which outcomes. */
interface Course {
  readonly ending: Ending;
  readonly outcomes: readonly AnsweredOutcome[];
}

/** What a replay needs of a sandbox. */
export interface ReplayStage
  extends Pick<Sandbox, "cluster" | "happenings" | "onHappening" | "publish" | "invoke"> {
  readonly aws: Pick<Sandbox["aws"], "timeline">;
  readonly deployment: Pick<Sandbox["deployment"], "queue">;
}

const { names } = demoNode;
const patienceWithReplacements = 10_000;

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
    await Promise.race([untilReplaced(sandbox), stopped, pause(patienceWithReplacements)]);
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
): Promise<Course> {
  const end = untilWorkedOff(sandbox, timeout);
  for (const message of messages) sandbox.publish(names.topic, message);
  const ending = await end;
  return { ending, outcomes: outcomesIn(sandbox.happenings()) };
}

/** The outcomes of the notices. Where a notice came more than once, the work counts as done if one delivery has done it. */
export function outcomesIn(happenings: readonly Happening[]): readonly Outcome[] {
  const ends = ofKind(happenings, "notice-done");
  const isDone = (outcome: Outcome) => rowOf(outcome).exit === "done";
  const done = new Set(ends.filter(({ outcome }) => isDone(outcome)).map(({ notice }) => notice));
  return ends
    .filter(({ notice, outcome }) => isDone(outcome) || !done.has(notice))
    .map(({ outcome }) => outcome);
}

async function directly(sandbox: ReplayStage, { messages }: ReplayRequest): Promise<Course> {
  const ask = (message: Message) => sandbox.invoke(names.function, names.topic, message);
  const results = await Promise.all(messages.map(ask));
  const answers = results.map((result) =>
    result.kind === "ok" ? readOutcomes(result.payload) : [],
  );
  const ending = answers.every(({ length }) => length > 0) ? "answered" : "faulted";
  return { ending, outcomes: answers.flat() };
}

/** Waits until the user stops the replay, or until its time is up. */
export function untilStopped(timeout: Duration, interrupted: AbortSignal): Promise<Course> {
  const course = (ending: Ending): Course => ({ ending, outcomes: [] });
  if (interrupted.aborted) return Promise.resolve(course("interrupted"));
  return new Promise((resolve) => {
    interrupted.addEventListener("abort", () => resolve(course("interrupted")));
    pause(timeout).then(
      () => resolve(course("timed-out")),
      () => undefined,
    );
  });
}

/** What still holds the node, in the function's own words if the function has said why. */
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

const holdWords = (hold: Exclude<Hold, "gone">): string => {
  if (typeof hold === "object") return hold.budgets;
  return hold === "free" ? "not evicted yet" : hold;
};

/** Where the messages are that the function is not done with. */
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

/** Waits, without keeping the process alive. */
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
