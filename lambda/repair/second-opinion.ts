import {
  type Duration,
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
  timestamp,
  tryInstantOf,
} from "../base/time.ts";
import { type Marking, unchanged } from "../drain/marking.ts";
import type { MachineNode, Node, NodeCondition } from "../drain/node.ts";
import type { Pod } from "../drain/pod.ts";
import { hasBegun } from "./due-repair.ts";
import { isIllCondition, reasonsOf } from "./ill-since.ts";
import type { Illness } from "./illness.ts";
import { agentConditions, asksForRepair, type RepairPolicy } from "./repair-policy.ts";
import type { GroupView, IllMember } from "./survey.ts";

/** When the node's monitoring agent was last restarted for a second opinion, and about which condition: `KernelReady/ForkFailed <ISO 8601>`. */
export const agentRestartedAnnotation = "eks-node-lifecycle/agent-restarted";

/** The namespace and the DaemonSet of the EKS add-on. */
const agent = { namespace: "kube-system", name: "eks-node-monitoring-agent" } as const;

/** A restart of the agent for a second opinion. */
interface AgentRestart {
  /** The condition and its reason. */
  readonly cause: string;
  readonly at: Instant;
}

// The agent checks every five minutes, its first check may come a minute later, and its pod takes a while to start.
const usual = minutes(10);

/**
 * The time after its start in which the agent checks a reason again. It learns of all other reasons from a log or an
 * event, and a new pod does not know them: it would call a broken node healthy.
 * @see https://github.com/aws/eks-node-monitoring-agent/tree/v1.7.0/monitors
 */
const looksAgain: ReadonlyMap<string, Duration> = new Map([
  ["InterfaceNotRunning", usual],
  ["InterfaceNotUp", usual],
  ["MissingLoopbackInterface", usual],
  // The agent reports it only after three checks.
  ["IPAMDNotRunning", minutes(20)],
  ["NvidiaDeviceCountMismatch", usual],
  ["FabricManagerNotRunning", usual],
  ["NvidiaFabricError", usual],
  ["DCGMError", usual],
]);

/** The state of the second opinion on an ill member. */
export type SecondOpinion =
  | { readonly kind: "none" }
  /** The agent is to be restarted, and checks the node again. */
  | { readonly kind: "wanted" }
  /** The agent was restarted. If it still calls the node ill by then, the repair begins. */
  | { readonly kind: "given"; readonly by: Instant };

// An illness after this time is another one.
const life = hours(24);
const askew = minutes(1);

/** Decides whether a member gets a second opinion. A node gets one a day. */
export function secondOpinionOn(
  member: IllMember,
  view: GroupView,
  policy: RepairPolicy,
): SecondOpinion {
  const { node, diagnosis } = member;
  if (node === "none" || view.settings.secondOpinion === "off") return none;
  const restart = tryRestart(node, view.now);
  if (restart !== undefined) return opinionAfter(restart, diagnosis.illness);
  return isWanted(node, view, policy) && !hasBegun(member, view) ? { kind: "wanted" } : none;
}

const none: SecondOpinion = { kind: "none" };

/** After a restart, an illness with another reason, or one that begins after the new check, waits for its own time. */
function opinionAfter({ at, cause }: AgentRestart, illness: Illness): SecondOpinion {
  const by = later(at, looksAgain.get(illness.reason) ?? usual);
  return cause === causeOf(illness) && illness.since <= by ? { kind: "given", by } : none;
}

/**
 * True if only the agent calls the node ill, and can check that again:
 * - the node is ready
 * - no condition of others asks for a repair
 * - the agent checks again each of its reasons that asks for a repair
 */
function isWanted(node: MachineNode, view: GroupView, { rules, every }: RepairPolicy): boolean {
  const asking = node.conditions
    .filter(isIllCondition)
    .flatMap((one) => reasonsOf(one, node, { now: view.now, every }))
    .filter((one) => asksForRepair(rules, one));
  return node.readiness === "ready" && asking.every(isLookedForAgain);
}

const isLookedForAgain = ({ type, reason }: NodeCondition): boolean =>
  agentConditions.includes(type) && looksAgain.has(reason);

/** A restart of the last day; one that cannot be read, or lies in the future, counts as none. */
function tryRestart({ annotations }: Pick<Node, "annotations">, now: Instant) {
  const [cause = "", time = "", ...more] =
    annotations[agentRestartedAnnotation]?.split(" ", 3) ?? [];
  const at = tryInstantOf(time);
  const isRecent =
    at !== undefined && at > later(now, milliseconds(-life)) && at <= later(now, askew);
  const restart: AgentRestart | undefined = isRecent ? { cause, at } : undefined;
  return more.length > 0 ? undefined : restart;
}

const causeOf = ({ condition, reason }: Illness): string => `${condition}/${reason}`;

export const restartMarking = (illness: Illness, now: Instant): Marking => ({
  ...unchanged,
  annotations: { [agentRestartedAnnotation]: `${causeOf(illness)} ${timestamp(now)}` },
});

/** The agent's pod on a node; `undefined` if it has none that runs. */
export const tryAgentOf = (pods: readonly Pod[]): Pod | undefined =>
  pods.find(
    ({ namespace, controller, termination }) =>
      namespace === agent.namespace &&
      controller.kind === "owner" &&
      controller.type === "DaemonSet" &&
      controller.apiVersion === "apps/v1" &&
      controller.name === agent.name &&
      termination.kind === "active",
  );

/**
 * True if the pods of a node confirm that it is ill. Each namespace has one voice, because anybody who may write in one can
 * have any number of unready pods there. Both have to be true:
 * - in half of the namespaces or more, half of the pods or more are not ready;
 * - that is so in two namespaces at least.
 */
export function arePodsUnwell(pods: readonly Pod[]): boolean {
  const expected = pods.filter(
    ({ phase, termination, mirror }) =>
      (phase === "Running" || phase === "Pending") && termination.kind === "active" && !mirror,
  );
  const namespaces = [...Map.groupBy(expected, ({ namespace }) => namespace).values()];
  const unwell = namespaces.filter(isHalfUnready).length;
  return unwell > 1 && 2 * unwell >= namespaces.length;
}

const isHalfUnready = (pods: readonly Pod[]): boolean =>
  2 * pods.filter(({ ready }) => !ready).length >= pods.length;
