import { counted } from "../lambda/base/counted.ts";
import { noteLines } from "../lambda/notice/outcome.ts";
import { lateness } from "../lambda/report/end-events.ts";
import { type Happening, ofKind } from "./happening.ts";
import type { Tone } from "./line.ts";
import type { Outcome, OutcomeOf } from "./outcome.ts";
import { type OwnOutcome, own } from "./own.ts";

/** The words of the command line and the journal for an outcome. */
export type OutcomeRow<K extends Outcome["kind"] = Outcome["kind"]> = {
  readonly tone: Tone;
  words(outcome: OutcomeOf<K>): string;
} & (Done | NotDone<K>);

/** The notice's work is done. `exit` is the exit code of a replay. */
interface Done {
  readonly exit: "done";
}

/** The notice's work is not done. */
interface NotDone<K extends Outcome["kind"]> {
  readonly exit: "notDone";
  /** Why the work is not done, and what to do about it. */
  advice(outcome: OutcomeOf<K>, happenings: readonly Happening[]): string;
}

const done = { tone: "good", exit: "done" } as const;
const notDone = { tone: "careful", exit: "notDone" } as const;

const ownRows: { readonly [K in OwnOutcome["kind"]]: OutcomeRow<K> } = Object.assign(
  {},
  ...own.map(({ outcomes }) => outcomes),
);

/** The table of all outcomes, for the journal, the command line, and the tests of the runbook. */
export const outcomeTable: { readonly [K in Outcome["kind"]]: OutcomeRow<K> } = {
  drained: { ...done, words: (outcome) => `drained${howOf(outcome)}` },
  forced: { tone: "careful", exit: "done", words: (outcome) => `drained${howOf(outcome)}` },
  expired: {
    ...notDone,
    words: ({ left }) => `expired, with ${counted(left.length, "pod")} still on the node`,
    advice: ({ left }) =>
      `not drained in time: ${noteLines(left).join(", ")}; the hook was completed all the same; ease what holds these pods, or give the drain longer`,
  },
  kept: {
    ...notDone,
    words: ({ left }) =>
      `kept at its deadline, with ${counted(left.length, "pod")} still on the node`,
    advice: ({ left }) =>
      `not drained in time, and so kept by its group: ${noteLines(left).join(", ")}; ease what holds these pods, then terminate the instance again`,
  },
  "dry-run": {
    tone: "careful",
    exit: "done",
    words: ({ counts, evicted, held, left }) => {
      const of = counts ?? { evicted: evicted.length, held: held.length, left: left.length };
      const pods = `${counted(of.evicted, "pod")} would be evicted, ${of.held} held, ${of.left} left alone`;
      return [`dry run, nothing was changed: ${pods}`, ...held].join("; ");
    },
  },
  "no-node": {
    ...notDone,
    words: () => "no node of this instance",
    advice: (_, happenings) =>
      `nothing to drain: no node of the cluster is ${instanceIn(happenings)}, and its hook was completed with CONTINUE; if it should have joined, look at its role in aws-auth and at its kubelet`,
  },
  "instance-ended": {
    ...notDone,
    words: () => "the instance has ended by itself",
    advice: () =>
      "not drained to the end: the instance had ended, so its hook was completed with CONTINUE; see who ended it",
  },
  joined: { ...done, words: ({ node }) => `joined: ${node} is ready` },
  registered: { ...done, words: ({ role }) => `${role} may join` },
  "not-registered": {
    ...notDone,
    words: ({ reason }) => `not registered, completed with CONTINUE: ${reason}`,
    advice: ({ reason }) =>
      `the instance goes on, but its role is not registered: ${reason}; its node cannot join unless somebody else has mapped the role`,
  },
  "not-joined": {
    ...notDone,
    words: ({ reason, result }) => `not joined, completed with ${result}: ${reason}`,
    advice: ({ reason, result }) =>
      `not joined in time: ${reason}; the hook was completed with ${result}; correct what keeps the node from joining, or give launches longer`,
  },
  "node-removed": {
    ...done,
    words: ({ node }) => `the instance is gone, and its node ${node} is removed`,
  },
  ...ownRows,
  "nothing-left": { ...done, words: () => "the instance is gone, and its node too" },
  cordoned: {
    ...done,
    words: ({ node }) => `${node} is cordoned, and opened again if nothing happens`,
  },
  "released-elsewhere": {
    ...notDone,
    words: () => "released by somebody else",
    advice: () =>
      "not drained to the end: somebody else completed the hook, or it timed out; see who",
  },
  tested: { ...done, words: () => "test notification acknowledged" },
  "passed-on": {
    ...done,
    words: ({ instances }) =>
      `a notice about several instances: each of ${instances.length} has one of its own now`,
  },
  "called-off": {
    ...done,
    words: ({ nodes }) =>
      ["planned work called off", ...nodes.map((node) => `${node} open again`)].join(", "),
  },
  ignored: {
    ...notDone,
    words: ({ reason }) => `ignored: ${reason}`,
    advice: ({ reason, why }) =>
      `ignored: ${reason}; nothing was touched, and the message has left the queue; ${why === "not managed" || why === "no group" ? adoption : heldInstance}`,
  },
};

const adoption =
  "replay it with --adopt, which gives the sandbox the group and the instance of the event";
const heldInstance =
  "replay an event of an instance that its hook holds, such as events/demo-ng-terminate.json";

function remaindersOf(outcome: OutcomeOf<"drained" | "forced">): readonly string[] {
  const { attached, targets: notDone = [], stuck } = outcome;
  const targets = noteLines(notDone);
  const volumes = attached.filter((one) => !targets.includes(one)); // older lines name both
  return [
    ...(volumes.length === 0 ? [] : [`volumes still attached: ${volumes.join(", ")}`]),
    ...(targets.length === 0 ? [] : [`load balancers not done: ${targets.join("; ")}`]),
    ...(stuck.length === 0 ? [] : [`pods that do not end: ${noteLines(stuck).join("; ")}`]),
  ];
}

/** The words after "drained": by force, and what is left. */
export function howOf(outcome: OutcomeOf<"drained" | "forced">): string {
  const forced = outcome.kind === "forced" ? ` by force: ${outcome.forced.join(", ")}` : "";
  return [forced, ...remaindersOf(outcome)].join(", with ");
}

function instanceIn(happenings: readonly Happening[]): string {
  const [completed] = ofKind(happenings, "hook-completed");
  return completed?.action.instance ?? "the instance";
}

export const rowOf = ({ kind }: Outcome): OutcomeRow => outcomeTable[kind];

/** An outcome in a few words, with a remark if the drain was late. */
export const wordsOfOutcome = (outcome: Outcome): string =>
  `${rowOf(outcome).words(outcome)}${lateness(outcome)}`;

/** The anchor of an outcome's heading in the runbook, such as "Outcome `drained`". */
export const runbookAnchor = (kind: Outcome["kind"]): string => `outcome-${kind}`;
