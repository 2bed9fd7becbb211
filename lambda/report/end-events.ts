import { someOf } from "../base/counted.ts";
import { type AnyOutcome, type Note, noteLines } from "../notice/outcome.ts";
import { type EventKind, type EventRow, onNode, onOwnNode, row } from "./kube-event.ts";
import { isOutcome, type ReportedOutcome } from "./reported-entry.ts";

const done = { type: "Normal", action: "Drain", on: "node", series: "once" } as const;
const notDone = { ...done, type: "Warning" } as const;

function outcome<K extends ReportedOutcome["kind"]>(
  kind: K,
  event: EventKind,
  note: (outcome: Extract<ReportedOutcome, { readonly kind: K }>) => string,
): EventRow {
  const isOfKind = isOutcome(kind);
  return row("notice-done", event, ({ outcome: found }, story) =>
    isOfKind(found) && story.node !== ""
      ? onNode(story.node, `${note(found)}${lateness(found)}`)
      : [],
  );
}

/** The addition to a note if the drain began too late. */
export const lateness = (outcome: AnyOutcome): string =>
  isDrained(outcome) && outcome.late ? `; late: a pass began only at ${outcome.late}` : "";

const isDrained = isOutcome("drained", "forced", "expired", "kept");

const remaining = (notes: readonly Note[], volumes: readonly string[] = []): string => {
  const left = [...noteLines(notes), ...volumes];
  return left.length === 0 ? "" : `; left: ${someOf(left)}`;
};

/** The Events at the end of a drain. A dry run has none, because it changes nothing in the cluster. */
export const outcomeEvents: readonly EventRow[] = [
  outcome(
    "drained",
    { ...done, reason: "Drained", meaning: "No pod holds the node any more." },
    ({ attached, targets = [], stuck }) =>
      `no pod holds the node any more${remaining([...stuck, ...targets], attached)}`,
  ),
  outcome(
    "forced",
    {
      ...notDone,
      reason: "DrainedByForce",
      meaning: "As `Drained`, but budgets, protections or graces had to give way.",
    },
    ({ forced }) => `drained by force: ${someOf(forced)}`,
  ),
  outcome(
    "expired",
    {
      ...notDone,
      reason: "DrainExpired",
      meaning: "The deadline came first, and the instance goes all the same.",
    },
    ({ left }) => `the deadline came first${remaining(left)}`,
  ),
  outcome(
    "kept",
    {
      ...notDone,
      reason: "InstanceKept",
      meaning: "The deadline came first, and the instance is kept by its group.",
    },
    ({ left }) => `the deadline came first, and the instance is kept${remaining(left)}`,
  ),
  outcome(
    "instance-ended",
    {
      ...notDone,
      reason: "InstanceEnded",
      meaning: "The instance ended before its node was drained.",
    },
    () => "the instance ended before its node was drained",
  ),
  outcome(
    "released-elsewhere",
    {
      ...notDone,
      reason: "ReleasedElsewhere",
      meaning: "Somebody else completed the hook, or it timed out, before the drain was over.",
    },
    () => "somebody else completed the hook, or it timed out",
  ),
];

/** The Events of nodes that are not about a drain. */
export const nodeEvents: readonly EventRow[] = [
  row(
    "mark-undone",
    {
      ...done,
      action: "Cordon",
      reason: "DrainCalledOff",
      meaning: "Nothing asks for the drain any more: the node is open to pods again.",
    },
    ({ node }) => onNode(node, "our label, cordon and taint are taken back"),
  ),
  row(
    "node-cordoned",
    {
      ...notDone,
      action: "Cordon",
      reason: "CordonedAtRisk",
      meaning: "EC2 may take the instance back; the node is opened again if nothing happens.",
    },
    ({ node, until }) => onNode(node, `EC2 may take the instance back; cordoned until ${until}`),
  ),
  row(
    "node-removed",
    {
      ...done,
      action: "Remove",
      reason: "NodeRemoved",
      meaning: "The instance was gone, and its node was left, so it is removed.",
    },
    ({ node, instance }) => onNode(node, `instance ${instance} is gone`),
  ),
  row(
    "out-of-service",
    {
      ...notDone,
      action: "Remove",
      reason: "OutOfService",
      meaning: "The node gets the taint `out-of-service`, or loses it.",
    },
    ({ node, taint }) => onNode(node, `the taint out-of-service is ${taint}`, taint),
  ),
];

const launches = { ...done, action: "Launch" } as const;

export const launchEvents: readonly EventRow[] = [
  row(
    "role-registered",
    {
      ...launches,
      reason: "RoleRegistered",
      meaning:
        "The role of a launching instance may join from now on; the Event is at a node of the instance's id, for its own is not there yet.",
    },
    ({ role, access: { by, change } }, story) =>
      change === "added" ? onOwnNode(story, `${role} may join, by ${by}`, role) : [],
  ),
  row(
    "fault",
    {
      ...launches,
      type: "Warning",
      reason: "LaunchFault",
      meaning:
        "A pass of a launch met a fault, such as an `aws-auth` that cannot be read; the node is looked for all the same, and the Event is at a node of the instance's id.",
    },
    ({ code, message }, story) =>
      story.reason === "launching" ? onOwnNode(story, message, code) : [],
  ),
  row(
    "notice-done",
    {
      ...launches,
      type: "Warning",
      reason: "LaunchNotRegistered",
      meaning:
        "The role of an instance whose node is not waited for could not be registered, and the instance goes on; the Event is at a node of the instance's id.",
    },
    ({ outcome: found }, story) =>
      isOutcome("not-registered")(found) ? onOwnNode(story, found.reason) : [],
  ),
  row(
    "notice-done",
    {
      ...launches,
      reason: "LaunchCompleted",
      meaning: "The node of a launched instance is ready, and its instance goes into service.",
    },
    ({ outcome: found }, { instance }) =>
      isOutcome("joined")(found)
        ? onNode(found.node, `instance ${instance} goes into service`, instance)
        : [],
  ),
  row(
    "notice-done",
    {
      ...launches,
      type: "Warning",
      reason: "LaunchExpired",
      meaning:
        "The node of a launched instance was not ready in time; the Event is at a node of the instance's id.",
    },
    ({ outcome: found }, story) =>
      isOutcome("not-joined")(found)
        ? onOwnNode(story, `completed with ${found.result}: ${found.reason}`)
        : [],
  ),
];
