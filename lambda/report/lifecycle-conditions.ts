import type { NodeName } from "../base/ids.ts";
import { earliest, type Instant, never, timestamp } from "../base/time.ts";
import { deadlineIn, isMarkedFor } from "../drain/cause.ts";
import { markedAtAnnotation } from "../drain/marking.ts";
import type { Annotated } from "../drain/node.ts";
import { tracesOn } from "../interruption/maintenance-trace.ts";
import type { AnyEntry } from "../notice/entry.ts";
import type { PassFacts } from "./pass-facts.ts";
import { isOutcome, type ReportedEntry } from "./reported-entry.ts";

/** The conditions of a node that the function writes. @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/5683-lifecycle-conditions */
export const lifecycleTypes = ["DrainInProgress", "Drained", "MaintenancePlanned"] as const;

/** Their reasons. */
export const lifecycleReasons = ["AdminRequested", "DrainCompleted", "MaintenanceWindow"] as const;

/** A condition of a node that is true, in our words. */
export interface LifecycleCondition {
  readonly type: (typeof lifecycleTypes)[number];
  readonly reason: (typeof lifecycleReasons)[number];
  readonly message: string;
}

/** A node with the lifecycle conditions that this deployment has written there. */
export interface ConditionedNode extends Annotated {
  readonly own: readonly LifecycleCondition[];
}

/** The beginning of our messages, by which we know our conditions from those of others. */
export const ownWords = "eks-node-lifecycle: ";

/** The progress of a node's drain, as an entry reports it; `unchanged` if the entry is not about the drain. */
export interface DrainNews {
  readonly node: NodeName;
  readonly drain: "in progress" | "drained" | "over" | "unchanged";
}

type Told = Extract<
  ReportedEntry,
  { readonly kind: "maintenance-planned" | "mark-undone" | "notice-done" | "pods-seen" }
>;

const news: Readonly<Record<Told["kind"], DrainNews["drain"]>> = {
  "pods-seen": "in progress",
  "notice-done": "over",
  "mark-undone": "unchanged",
  "maintenance-planned": "unchanged",
};

const isTold = (entry: AnyEntry): entry is Told => Object.hasOwn(news, entry.kind);

const isDrained = isOutcome("drained", "forced");
const isOver = isOutcome("expired", "kept", "instance-ended", "released-elsewhere");

/** The news of drains in an entry that the passes of every function have. */
export function commonNews(entry: AnyEntry, { node }: PassFacts): readonly DrainNews[] {
  if (!isTold(entry)) return [];
  if (entry.kind !== "notice-done") return [{ node: entry.node, drain: news[entry.kind] }];
  if (node === "") return [];
  if (isDrained(entry.outcome)) return [{ node, drain: "drained" }];
  return isOver(entry.outcome) ? [{ node, drain: "over" }] : [];
}

/**
 * The conditions that a node has to have: none of a drain without our mark, because opening
 * a node removes the mark.
 */
export function wantedConditions(
  node: ConditionedNode,
  drain: DrainNews["drain"],
): readonly LifecycleCondition[] {
  const isMarked = markedAtAnnotation in node.annotations;
  return [...(isMarked ? drainConditions(drain, node.own) : []), ...plannedConditions(node)];
}

/** Those of the conditions of a node that stay once a person has opened it. */
export const remainingConditions = ({
  annotations,
  own,
}: ConditionedNode): readonly LifecycleCondition[] =>
  markedAtAnnotation in annotations ? own : own.filter(isPlanned);

const isPlanned = ({ type }: LifecycleCondition): boolean => type === "MaintenancePlanned";

function drainConditions(
  drain: DrainNews["drain"],
  before: readonly LifecycleCondition[],
): readonly LifecycleCondition[] {
  switch (drain) {
    case "in progress":
      return [
        {
          type: "DrainInProgress",
          reason: "AdminRequested",
          message: `${ownWords}the node is drained`,
        },
      ];
    case "drained":
      return [
        {
          type: "Drained",
          reason: "DrainCompleted",
          message: `${ownWords}no pod holds the node any more`,
        },
      ];
    case "over":
      return [];
    case "unchanged":
      return before.filter((one) => !isPlanned(one));
  }
}

function plannedConditions(node: Annotated): readonly LifecycleCondition[] {
  const work = earliest(never, ...tracesOn(node).map(({ startTime }) => startTime));
  const blockEnds = isMarkedFor("block-expiring", node) ? deadlineIn(node) : never;
  if (blockEnds < work)
    return [maintenancePlanned("EC2 ends the instances of its Capacity Block", blockEnds)];
  return work === never ? [] : [maintenancePlanned("AWS works on its host", work)];
}

const maintenancePlanned = (what: string, from: Instant): LifecycleCondition => ({
  type: "MaintenancePlanned",
  reason: "MaintenanceWindow",
  message: `${ownWords}${what} from ${timestamp(from)} on`,
});
