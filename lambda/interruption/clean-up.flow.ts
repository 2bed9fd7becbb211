import type { InstanceId } from "../base/ids.ts";
import { between, longest, seconds, shortest } from "../base/time.ts";
import type { NodeRemoval, NodeWrite } from "../drain/drain.port.ts";
import type { Node } from "../drain/node.ts";
import type { Membership } from "../group/membership.ts";
import { done, ignored, soonAgain } from "../notice/outcome.ts";
import { mostReceives } from "../notice/renewal.ts";
import { admissionsOf } from "./admitted.flow.ts";
import type { EventAdmission } from "./event-admission.ts";
import type { EventPass } from "./event-outcome.ts";
import { type AdmittedInstance, ifAdmitted, rested } from "./event-pass.flow.ts";
import type { InterruptionPorts } from "./interruption.port.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";
import {
  backInServiceMarking,
  isOutOfService,
  type LeftNodeSettings,
  type LeftNodeStep,
  leftNodeStep,
  outOfServiceMarking,
} from "./left-node.ts";

/** An instance that may be gone, and nodes of it that may be left. */
export interface CleanUpRequest {
  readonly instance: InstanceId;
  /** The receive count of the notice. */
  readonly receives: number;
  /** Where its node is looked for: a drained node is cordoned, and cordoned nodes are few. */
  readonly among: "all" | "cordoned";
  /**
   * The time for which the node lingers: as its group has it, or not at all because another
   * instance has its name already.
   */
  readonly lingers: "as set" | "not at all";
}

const soon = seconds(5);
// A node that comes back must not wait long for its pods.
const watched = seconds(30);

/** Removes the nodes of an instance that is gone, unless something else removes them. */
export async function cleanUp(
  request: CleanUpRequest,
  policy: InterruptionPolicy,
  ports: InterruptionPorts,
): Promise<EventPass> {
  const goOn = async (found: AdmittedInstance) => cleanUpIn(found, request, ports);
  return ifAdmitted(await departed(request.instance, policy, ports), policy, { ports, goOn });
}

async function cleanUpIn(
  { settings, drain, state }: AdmittedInstance,
  request: CleanUpRequest,
  ports: InterruptionPorts,
): Promise<EventPass> {
  const { instance, receives, among, lingers } = request;
  if (drain.mode === "dry-run") return ignored("a dry run removes no node", "dry run");
  if (settings.removeNode === "never") return ignored("no nodes are removed here");
  if (receives >= mostReceives) return ignored(`instance ${instance} does not come to its end`);
  const isFirst = receives === 1 && among === "all" && settings.outOfService === "never";
  // The cloud controller removes nearly every node, so it gets some time first.
  if (isFirst)
    return rested(`a node of ${instance} that is left then is removed`, settings.lingers, ports);
  const own = lingers === "as set" ? settings : { ...settings, lingers: seconds(0) };
  return cleanUpNodes(request, { settings: own, state }, ports);
}

async function cleanUpNodes(
  { instance, among }: CleanUpRequest,
  standing: {
    readonly settings: LeftNodeSettings;
    /** The lifecycle state of the instance in its group; empty when it is in none. */
    readonly state: string;
  },
  ports: InterruptionPorts,
): Promise<EventPass> {
  const { cluster, clock } = ports;
  const ec2Instance = await ports.instances.describe(instance);
  const passes: EventPass[] = [];
  for (const node of await cluster.nodesOf(instance, among)) {
    const step = leftNodeStep({ ...standing, node, ec2Instance, now: clock.now() });
    passes.push(await act(step, { node, instance }, ports));
  }
  const [first, ...others] = passes;
  if (first !== undefined) return others.reduce(soonest, first);
  return ec2Instance !== "unknown" && ec2Instance.life === "there"
    ? ignored(`instance ${instance} runs, and no node of it is left`)
    : nothingLeft;
}

/** The clean-up is over once it is over for each node: only one of them is the instance's, and EC2 no longer names it. */
function soonest(a: EventPass, b: EventPass): EventPass {
  if (b.kind !== "again") return a;
  return a.kind === "again" && a.wait <= b.wait ? a : b;
}

interface NodeAndInstance {
  readonly node: Node;
  readonly instance: InstanceId;
}

async function act(
  step: LeftNodeStep,
  { node, instance }: NodeAndInstance,
  ports: InterruptionPorts,
): Promise<EventPass> {
  const { cluster, clock } = ports;
  switch (step.kind) {
    case "leave":
      return ignored(step.reason);
    case "wait": {
      const wait = longest(soon, between(clock.now(), step.until));
      return { kind: "again", wait: isOutOfService(node) ? shortest(watched, wait) : wait };
    }
    case "remove":
      return removedOr(await cluster.removeNode(node), { node, instance }, ports);
    case "taint":
      return tainted(await cluster.mark(node, () => outOfServiceMarking(node)), node, ports);
    case "untaint":
      return untainted(await cluster.mark(node, () => backInServiceMarking(node)), node, ports);
  }
}

const nothingLeft = done({ kind: "nothing-left" });

function removedOr(
  answer: NodeRemoval,
  { node, instance }: NodeAndInstance,
  { journal }: InterruptionPorts,
): EventPass {
  if (answer === "changed") return soonAgain;
  if (answer === "gone") return nothingLeft;
  if (answer === "kept")
    return ignored(`node ${node.name} is being deleted, and its finalizers keep it`);
  journal.record({ kind: "node-removed", node: node.name, instance });
  return done({ kind: "node-removed", node: node.name });
}

function tainted(
  answer: NodeWrite,
  { name: node }: Node,
  { journal }: InterruptionPorts,
): EventPass {
  if (answer === "gone") return nothingLeft;
  if (answer === "marked") journal.record({ kind: "out-of-service", node, taint: "set" });
  return soonAgain;
}

function untainted(
  answer: NodeWrite,
  { name: node }: Node,
  { journal }: InterruptionPorts,
): EventPass {
  if (answer === "changed") return soonAgain;
  if (answer === "gone") return nothingLeft;
  journal.record({ kind: "out-of-service", node, taint: "removed" });
  return ignored(`node ${node} is back`);
}

/** Admits or refuses the clean-up after an instance that may have left its group already: EC2 keeps the tag with its group. */
const departed = (
  instance: InstanceId,
  { managed }: Pick<InterruptionPolicy, "managed">,
  { departures, groups, instances: ec2 }: InterruptionPorts,
): Promise<EventAdmission> =>
  departures.of(instance, async (instances) => {
    const members = await groups.memberships(instances);
    const others = instances.filter((one) => !members.has(one));
    const former = others.length === 0 ? new Map() : await ec2.groupsOf(others);
    const left = Array.from(former, ([one, group]): [InstanceId, Membership] => [
      one,
      { kind: "member", group, state: "" },
    ]);
    return admissionsOf(instances, new Map([...members, ...left]), managed, groups);
  });
