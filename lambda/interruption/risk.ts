import {
  type Duration,
  hours,
  type Instant,
  later,
  minutes,
  never,
  shortest,
  timestamp,
} from "../base/time.ts";
import { causeAnnotations, tryCause } from "../drain/cause.ts";
import {
  cordonedAnnotation,
  type Marking,
  markedAtAnnotation,
  tryWrittenAt,
} from "../drain/marking.ts";
import type { Node } from "../drain/node.ts";
import type { Reasons } from "../drain/reason.ts";

/** A node whose instance may be interrupted, or never. */
export interface AtRiskNode {
  readonly node: Node;
  /** When EC2 recommended to rebalance. */
  readonly since: Instant;
  /** The time for which the node keeps its mark if nothing else happens. */
  readonly keep: Duration;
  readonly instance: "in service" | "not in service";
  readonly now: Instant;
  /** The reasons that a mark may have. */
  readonly reasons: Reasons;
}

/** The next step for such a node. */
export type RiskStep =
  /** It has no mark yet, or one of an earlier recommendation. */
  | { readonly kind: "mark" }
  /** Its time is not over. */
  | { readonly kind: "wait"; readonly until: Instant }
  /** Its time is over, but it is not well. */
  | { readonly kind: "doubt"; readonly until: Instant }
  | { readonly kind: "undo" }
  | { readonly kind: "leave"; readonly reason: string };

/**
 * Chooses what to do about a node at risk. Its mark is undone once the time is over, as soon as the node is ready and its
 * instance in service; a day later at the latest, so that no node stays cordoned for ever.
 */
export function riskStep(atRisk: AtRiskNode): RiskStep {
  const { node, since, keep, instance, now, reasons } = atRisk;
  const marked = tryWrittenAt(node, markedAtAnnotation);
  if (marked === undefined) return unmarkedStep(node, later(since, keep), now);
  const reason = tryCause(node, reasons)?.reason ?? "draining";
  if (reason !== "at-risk") return leave(`node ${node.name} is marked already: ${reason}`);
  // Somebody has uncordoned it, and knows better.
  if (!node.unschedulable) return { kind: "undo" };
  if (since > marked) return { kind: "mark" };
  const until = later(marked, keep);
  return now < until ? { kind: "wait", until } : overdueStep({ node, instance, keep, until, now });
}

function overdueStep({ node, instance, keep, until, now }: Overdue): RiskStep {
  const isWell = node.readiness === "ready" && instance === "in service";
  if (isWell || now >= later(until, longestDoubt)) return { kind: "undo" };
  return { kind: "doubt", until: later(now, shortest(keep, recheck)) };
}

type Overdue = Omit<AtRiskNode, "reasons" | "since"> & { readonly until: Instant };

const longestDoubt = hours(24);
const recheck = minutes(15);

const leave = (reason: string): RiskStep => ({ kind: "leave", reason });

function unmarkedStep({ name, unschedulable }: Node, until: Instant, now: Instant): RiskStep {
  if (now >= until) return leave(`the risk of node ${name} is long over`);
  return unschedulable ? leave(`somebody else has cordoned node ${name}`) : { kind: "mark" };
}

/** The cordon of a node at risk: no taint, because its pods still serve. */
export const cordonFor = ({ unschedulable }: Node, now: Instant): Marking => ({
  labels: {},
  annotations: {
    [markedAtAnnotation]: timestamp(now),
    ...causeAnnotations({ reason: "at-risk", deadline: never }),
    ...(unschedulable ? {} : { [cordonedAnnotation]: "true" }),
  },
  unschedulable: true,
  taints: "as they are",
});
