import { hours, type Instant, later, never, timestamp } from "../../lambda/base/time.ts";
import { type Cause, tryCause } from "../../lambda/drain/cause.ts";
import { leaseDuration, tryLease } from "../../lambda/drain/eviction-lease.ts";
import { markedAtAnnotation } from "../../lambda/drain/marking.ts";
import type { Node, Taint } from "../../lambda/drain/node.ts";
import { isSameTaint, ownTaintText } from "../../lambda/drain/own-taint.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import type { Ec2Instance } from "../../lambda/group/ec2-instance.ts";
import type { Membership } from "../../lambda/group/membership.ts";
import type { ReasonWithRemedy } from "../remedies.ts";
import * as subjects from "../subjects.ts";

/** A node that the user names, and what AWS says about its instance; `unasked` without credentials. */
export interface NodeFacts {
  readonly node: Node;
  readonly membership: Membership | "unasked";
  readonly ec2Instance: Ec2Instance | "unasked";
  readonly now: Instant;
}

const own = await Promise.all(Object.values(subjects).map(({ inDrain }) => inDrain()));

/** Taints with which other tools mark nodes that they drain or have given up. */
const drainers: readonly (readonly [key: RegExp, who: string])[] = [
  // See https://karpenter.sh/docs/concepts/disruption/
  [/^karpenter\.sh\/disrupt(ed|ion)$/, "Karpenter"],
  // See https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/utils/taints/taints.go
  [/^ToBeDeletedByClusterAutoscaler$/, "the Cluster Autoscaler"],
  [/^aws-node-termination-handler\//, "the Node Termination Handler"],
  [/^node\.kubernetes\.io\/out-of-service$/, "the tool that set its taint out-of-service"],
];

/** Why a node that a command has found by itself is not drained; `undefined` if it may be. */
export const tryRefusalOfFound = (standing: NodeFacts): ReasonWithRemedy | undefined =>
  endingRefusal(standing) ?? markRefusal(standing) ?? drainerRefusal(standing);

/** The same for a node that somebody names: its notice may be lost, and nobody else would drain it. */
export const tryRefusalOfNamed = (standing: NodeFacts): ReasonWithRemedy | undefined =>
  isUnnoticed(standing) ? drainerRefusal(standing) : tryRefusalOfFound(standing);

/**
 * True if a terminate hook holds the instance and no pass of the function has marked the node for it: its notice is late
 * or lost. A mark without a deadline is that of a peer's drain. Where the notice comes after all, one of both evicts.
 */
export const isUnnoticed = ({ node, membership }: NodeFacts): boolean =>
  membership !== "unasked" &&
  membership.kind === "member" &&
  membership.state.endsWith("Terminating:Wait") &&
  (tryCause(node, drainReasons)?.deadline ?? never) === never;

/** Why a node is not uncordoned; `undefined` if it may be. Without our mark nobody knows whose cordon and taints it has. */
export function tryUndoRefusal(
  standing: NodeFacts,
  taints: readonly Taint[] = [],
): ReasonWithRemedy | undefined {
  const { node } = standing;
  if (node.annotations[markedAtAnnotation] !== undefined)
    return endingRefusal(standing) ?? ownRefusal(standing) ?? takenRefusal(standing);
  const why = `node ${node.name} has no mark of ours`;
  const cordoned = `open it with \`kubectl uncordon ${node.name}\` if you know who cordoned it`;
  if (node.unschedulable) return { why, remedy: cordoned };
  if (!node.taints.some((one) => taints.some((own) => isSameTaint(own, one)))) return undefined;
  const text = ownTaintText(taints);
  const remedy = `take it away with \`kubectl taint nodes ${node.name} ${text}-\` if you know who set it`;
  return { why: `${why}, but the taint ${text}`, remedy };
}

/** Refuses if Auto Scaling or EC2 is ending the instance. */
function endingRefusal({ node, membership, ec2Instance }: NodeFacts): ReasonWithRemedy | undefined {
  if (membership !== "unasked" && membership.kind === "member" && isLeaving(membership.state)) {
    const why = `the instance of node ${node.name} is ${membership.state} in group ${membership.group}, ${soWhat(membership.state)}`;
    return { why, remedy: seeStatus };
  }
  if (ec2Instance === "unasked" || ec2Instance.life === "there") return undefined;
  return { why: `the instance of node ${node.name} is ${ec2Instance.life}`, remedy: seeStatus };
}

const soWhat = (state: string): string => {
  if (state.endsWith("Terminating:Wait")) return "so the function drains it";
  return state.includes("Terminat") ? "so it is about to end" : "so its launch is not over";
};

const isLeaving = (state: string): boolean => /Terminat|:Wait$/.test(state);

const seeStatus = "follow it with `eks-node-lifecycle status CLUSTER --node NODE`";

/** Refuses if the function has marked the node, because it would take the user's drain for its own. */
function markRefusal(standing: NodeFacts): ReasonWithRemedy | undefined {
  const { node } = standing;
  const taken = takenRefusal(standing);
  const cause = tryCause(node, drainReasons);
  if (taken !== undefined || cause === undefined || isPersons(cause)) return taken;
  if (cause.deadline <= standing.now) return undefined;
  return {
    why: `node ${node.name} has a mark of the function: ${cause.reason}`,
    remedy: `take it away first, with \`eks-node-lifecycle drain ${node.name} --undo\``,
  };
}

/** Refuses if the function has marked the node because its instance is about to end. */
function takenRefusal(standing: NodeFacts): ReasonWithRemedy | undefined {
  const { node, membership, now } = standing;
  const cause = tryCause(node, drainReasons);
  if (cause === undefined || isOver(cause, membership, now) || isLeft(cause, standing))
    return undefined;
  const until = cause.deadline === never ? "" : `, until ${timestamp(cause.deadline)}`;
  const why = `the function drains node ${node.name} already: ${cause.reason}${until}`;
  const asked = membership === "unasked" ? "; with AWS credentials the command can tell more" : "";
  return { why, remedy: `${seeStatus}${asked}` };
}

/** True if nobody drains a node for the cause of its mark, as far as AWS and the node tell. */
function isLeft(cause: Cause, { node, membership, now }: NodeFacts): boolean {
  if (cause.reason === "terminating") return isInService(membership);
  if (own.some(({ leftReasons }) => leftReasons.includes(cause.reason)))
    return membership !== "unasked" && !isEvicting(node, now);
  return isPersons(cause) || cause.reason === "at-risk";
}

const ownRefusal = ({ node, now }: NodeFacts): ReasonWithRemedy | undefined =>
  own.flatMap(({ tryClosed }) => tryClosed(node, now) ?? []).at(0);

/** True if a process evicts the pods of a node at this moment. A lease that ends later than a lease can is a leftover. */
function isEvicting(node: Node, now: Instant): boolean {
  const lease = tryLease(node);
  return lease !== undefined && lease.until > now && lease.until <= later(now, leaseDuration);
}

/** True if a user has marked the node with a drain or an evacuation. */
const isPersons = ({ reason }: Cause): boolean => reason === "requested" || reason === "evacuated";

// A hook holds an instance beyond the deadline of its drain while volumes are detached.
const longestHeldOn = hours(1);

/** True if the work of a mark is over. Without AWS nobody knows when a hook releases an instance. */
function isOver({ reason, deadline }: Cause, membership: NodeFacts["membership"], now: Instant) {
  if (deadline === never) return false;
  const isUnknown = membership === "unasked" && reason === "terminating";
  return (isUnknown ? later(deadline, longestHeldOn) : deadline) <= now;
}

const isInService = (membership: NodeFacts["membership"]): boolean =>
  membership !== "unasked" && membership.kind === "member" && membership.state === "InService";

function drainerRefusal({ node }: NodeFacts): ReasonWithRemedy | undefined {
  const found = node.taints.flatMap(({ key }) =>
    drainers.filter(([theirs]) => theirs.test(key)).map(([, who]) => ({ key, who })),
  );
  const [first] = found;
  if (first === undefined) return undefined;
  return {
    why: `${first.who} drains node ${node.name} already: it has the taint ${first.key}`,
    remedy: "let it finish, or take the taint away if nothing drains the node any more",
  };
}

/** Warnings for a node that another tool manages. */
export function warningsFor({ labels, name }: Node): readonly string[] {
  if (labels["eks.amazonaws.com/compute-type"] === "auto")
    return [`EKS Auto Mode manages it, and may replace it; kubectl delete node ${name} asks it to`];
  const pool = labels["karpenter.sh/nodepool"] ?? labels["karpenter.sh/provisioner-name"];
  if (pool === undefined) return [];
  return [
    `Karpenter manages it (${pool}), and may end it as soon as it is empty; kubectl delete node ${name} asks Karpenter itself to drain it`,
  ];
}
