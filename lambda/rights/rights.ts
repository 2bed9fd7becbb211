import type { RoleArn } from "../base/role-arn.ts";
import type { MakeRoom } from "../drain/drain-policy.ts";
import type { LeftNodeSettings } from "../interruption/left-node.ts";
import type { AwsAuthUse } from "./aws-auth-use.ts";

/**
 * The parts of the function's rights in a cluster, and of its place in the queues of the API server, in the order in which they are applied.
 *
 * The fences come first, so that there is no right without its fence. A part that no deployment chooses any more stays
 * in this list, so that it is removed wherever it was applied.
 */
export const rightsParts = [
  "fence",
  "aws-auth-fence",
  "event-fence",
  "room-fence",
  "flow",
  "rbac",
  "upgrades",
  "repairs",
  "aws-auth-read",
  "aws-auth-edit",
  "events",
  "conditions",
  "making-room",
  "force",
  "agent-restart",
  "node-removal",
] as const;

/** Manifests that are applied together, or not at all. */
export type RightsPart = (typeof rightsParts)[number];

/** The limits of the function in the fences. */
export interface FenceLimits {
  /** The one taint that the function may write, as `key=value:effect`; empty for no taint. */
  readonly ownTaint: string;
  /** The beginning of the ARNs of the roles that the function may map, such as `arn:aws:iam::123456789012`; empty for no role. */
  readonly account: string;
  /** The only roles that the function may map. */
  readonly nodeRoles: readonly RoleArn[];
  /** The right to write the taint `out-of-service`. */
  readonly outOfService: LeftNodeSettings["outOfService"];
  /** Which counts of workloads may be raised for a while. */
  readonly makeRoom: MakeRoom;
  /** The right to write the lifecycle conditions of nodes. */
  readonly conditions: "off" | "on";
  /** The right to delete pods; with `never` the repair function may still delete those of the monitoring agent. */
  readonly force: "at-deadline" | "never";
}

/** Which rights the function is to have in a cluster. */
export interface Rights extends FenceLimits {
  readonly parts: readonly RightsPart[];
}

/** The choices of a deployment about rights. */
export interface RightsChoice extends FenceLimits {
  readonly awsAuth: AwsAuthUse;
  readonly removeNode: LeftNodeSettings["removeNode"];
  /** Events of Kubernetes, on or off. */
  readonly events: "off" | "on";
  readonly apiPriority: ApiPriority;
  /** The upgrade function, which has its own group in the cluster, on or off. */
  readonly upgrades: "off" | "on";
  /** The repair function, which has another group, on or off. */
  readonly repairs: "off" | "on";
  /** The right to restart the node monitoring agent before a repair. */
  readonly secondOpinion: "off" | "restart-agent";
}

/** The priority level of the function's requests in the API server: its own, or the one that others share. */
export type ApiPriority = "own" | "shared";

const always: readonly RightsPart[] = ["fence", "aws-auth-fence", "event-fence", "rbac"];

const partsFor: Readonly<Record<AwsAuthUse, readonly RightsPart[]>> = {
  none: [],
  read: ["aws-auth-read"],
  edit: ["aws-auth-read", "aws-auth-edit"],
};

/** The rights that a deployment chooses. */
export function rightsFor({
  awsAuth,
  removeNode,
  events,
  apiPriority,
  upgrades,
  repairs,
  secondOpinion,
  ...limits
}: RightsChoice): Rights {
  const chosen = new Set<RightsPart>([...always, ...partsFor[awsAuth]]);
  for (const part of deletions({ force: limits.force, repairs, secondOpinion })) chosen.add(part);
  if (removeNode !== "never") chosen.add("node-removal");
  if (events === "on") chosen.add("events");
  if (limits.conditions === "on") chosen.add("conditions");
  if (limits.makeRoom !== "off") chosen.add("room-fence").add("making-room");
  if (apiPriority === "own") chosen.add("flow");
  if (upgrades === "on") chosen.add("upgrades");
  if (repairs === "on") chosen.add("repairs");
  return { ...limits, parts: rightsParts.filter((part) => chosen.has(part)) };
}

/** The right to delete pods: any, or those of the node monitoring agent alone. */
function deletions({
  force,
  repairs,
  secondOpinion,
}: Pick<RightsChoice, "force" | "repairs" | "secondOpinion">): readonly RightsPart[] {
  if (force !== "never") return ["force"];
  return repairs === "on" && secondOpinion === "restart-agent" ? ["agent-restart"] : [];
}
