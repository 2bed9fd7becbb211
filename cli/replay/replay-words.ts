import type { AnsweredOutcome } from "../../journal/entry-schema.ts";
import { ofKind } from "../../journal/happening.ts";
import { clock, shortName } from "../../journal/timeline.ts";
import { between } from "../../lambda/domain/time.ts";
import type { ReplayResult } from "./replay-result.ts";

/** Says where the messages are; nothing when they are done with. */
export function whereaboutsOf({ via, whereabouts }: ReplayResult): readonly string[] {
  if (via === "direct") return ["it came by no queue, so nobody brings it again: replay it"];
  const { queue, waiting, deadLetterQueue, deadLetters } = whereabouts;
  const receives = Math.max(0, ...waiting);
  return [
    ...(waiting.length === 0
      ? []
      : [`${inQueue(waiting.length)} in queue ${queue}, received ${times(receives)}`]),
    ...(deadLetters === 0
      ? []
      : [`${inQueue(deadLetters)} in the dead letters, ${deadLetterQueue}`]),
  ];
}

const inQueue = (count: number): string =>
  count === 1 ? "the message waits" : `${count} messages wait`;

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

/** Says what was done, in one line. */
export function drainedLine({ happenings, from, to, outcomes }: ReplayResult): string {
  const done = ofKind(happenings, "notice-done").at(-1)?.at ?? to;
  const took = clock(between(from, done));
  if (outcomes.every(({ kind }) => kind === "tested")) return `acknowledged in ${took}`;
  const joined = outcomes.find((outcome) => outcome.kind === "joined");
  if (joined !== undefined)
    return `${shortName(joined.node)} joined and is ready in ${took}${completion(happenings)}`;
  const [node] = ofKind(happenings, "node-marked");
  const left = ofKind(happenings, "pod-gone").length;
  const again = ofKind(happenings, "pod-running").filter(({ replaces }) => replaces !== "").length;
  return `drained ${shortName(node?.node ?? "the node")} in ${took}: ${left} pods gone, ${again} running elsewhere${completion(happenings)}`;
}

function completion(happenings: ReplayResult["happenings"]): string {
  const [hook] = ofKind(happenings, "hook-completed");
  return hook === undefined ? "" : `, ${hook.action.hook} completed with ${hook.result}`;
}

/** Says why a notice is not done although nothing broke; empty if it is done. */
export function unfinishedLine(
  outcome: AnsweredOutcome,
  { happenings, left }: ReplayResult,
): string {
  switch (outcome.kind) {
    case "registered":
    case "drained":
    case "joined":
    case "tested":
      return "";
    case "not-joined":
      return `not joined in time: ${outcome.reason}; the hook was completed with ${outcome.result}; mend what keeps the node, or give launches longer (docs/runbook.md#outcome-not-joined)`;
    case "ignored":
      return `ignored: ${outcome.reason}; nothing was touched, and the message is done with; replay an event of an instance that its hook holds, such as events/demo-ng-terminate.json (docs/runbook.md#outcome-ignored)`;
    case "no-node": {
      const [action] = ofKind(happenings, "hook-completed").map((entry) => entry.action);
      return `nothing to drain: no node of the cluster is ${action?.instance ?? "the instance"}, and its hook was completed with CONTINUE; if it should have joined, look at its role in aws-auth and at its kubelet (docs/runbook.md#outcome-no-node)`;
    }
    case "instance-ended":
      return "not drained to the end: the instance had ended, so its hook was completed with CONTINUE; see who ended it (docs/runbook.md#outcome-instance-ended)";
    case "expired":
      return `not drained in time: ${outcome.left.join(", ")}; the hook was completed all the same; ease what holds these pods, or give the drain longer (docs/runbook.md#outcome-expired)`;
    case "released-elsewhere":
      return "not drained to the end: somebody else completed the hook, or it timed out; see who (docs/runbook.md#outcome-released-elsewhere)";
    case "unfinished":
      return `not finished within one invocation: ${left.join(", ")}; replay it through the queue, which brings it again`;
  }
}
