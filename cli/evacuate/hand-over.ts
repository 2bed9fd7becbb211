import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { ElbTargetGroups } from "../../lambda/aws/elb-target-groups.ts";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import type { InstanceId, NodeUid } from "../../lambda/base/ids.ts";
import { type Instant, later, seconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import { tryCause } from "../../lambda/drain/cause.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { firstChecks, type Leavers, membersOf } from "../../lambda/group/target-loss.ts";
import { type TargetPorts, targetLoss } from "../../lambda/group-work/target-watch.flow.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import { awsParts, instanceOf } from "../connect/aws-parts.ts";
import { assertGoesOn, stoppableClock } from "../drain/stoppable.ts";
import type { EvacuationRequest, EvacuationSite, ZoneLook, ZoneNode } from "./zone-look.ts";

// A look lists all nodes. Within this time no replacement comes into service.
const lookEvery = seconds(10);

/** A zone as it was at a time. */
interface DatedLook {
  readonly look: ZoneLook;
  readonly at: Instant;
}

/**
 * Has the groups replace empty instances. None is ended while target groups would have fewer healthy targets and others are
 * still `initial`, for an hour after the last end at most.
 */
export class HandOver {
  readonly #settings: EvacuationRequest["settings"];
  readonly #site: EvacuationSite;
  readonly #groups: FullAutoScalingGroups;
  readonly #ports: TargetPorts;
  readonly #ended = new Set<InstanceId>();
  readonly #replaced: string[] = [];
  readonly #reported = new Set<string>();
  #patientUntil: Instant;

  constructor({ settings }: Pick<EvacuationRequest, "settings">, site: EvacuationSite) {
    this.#settings = settings;
    this.#site = site;
    this.#groups = new FullAutoScalingGroups(new AutoScalingClient(site.aws));
    this.#ports = targetPorts(site, (message) => this.#tell(message));
    this.#patientUntil = later(site.clock.now(), firstChecks);
  }

  /** Hands over the instances of some nodes, and reports the names of the nodes. */
  async all(ours: Iterable<NodeUid>, looked: () => Promise<ZoneLook>): Promise<readonly string[]> {
    const { clock, stopped } = this.#site;
    let waiting = new Set(ours);
    while (waiting.size > 0) {
      const look = await looked();
      const at = clock.now();
      const there = look.nodes.filter(({ node }) => waiting.has(node.uid));
      waiting = await this.#round(there, { look, at });
      if (waiting.size > 0)
        await stoppableClock(clock, stopped).sleep(later(at, lookEvery), new Wakeup());
    }
    return this.#replaced;
  }

  /** Hands over what does not have to wait, while the look is new, and returns the rest. */
  async #round(there: readonly ZoneNode[], dated: DatedLook): Promise<Set<NodeUid>> {
    const rest = new Set<NodeUid>();
    for (const one of there)
      if ((await this.#handOver(one, dated)) === "waits") rest.add(one.node.uid);
    return rest;
  }

  /** Ends an instance if nothing stands against it. */
  async #handOver(one: ZoneNode, dated: DatedLook): Promise<"done" | "waits"> {
    const { clock, report, stopped } = this.#site;
    assertGoesOn(stopped);
    if (clock.now() >= later(dated.at, lookEvery)) return "waits";
    const { node, instance } = one;
    const why = tryStay(one);
    if (why !== undefined) {
      report.warn(`node ${node.name}`, why);
      return "done";
    }
    const reasons = await this.#awaited(one, dated);
    for (const reason of reasons) this.#tell(reason);
    if (reasons.length > 0) return "waits";
    await this.#groups.terminate(instance, "kept");
    this.#ended.add(instance);
    this.#replaced.push(node.name);
    this.#patientUntil = later(clock.now(), firstChecks);
    return "done";
  }

  /** The targets that have not had their first health checks, and whose target groups would lose one with this instance. */
  async #awaited(
    { node, instance }: ZoneNode,
    { look, at }: DatedLook,
  ): Promise<readonly string[]> {
    const isPatient = this.#site.clock.now() < this.#patientUntil;
    if (!isPatient || this.#settings.targetTimeout === 0) return [];
    const members = membersIn(instance, look, at);
    const own = new Set([...members.own].filter((id) => !this.#ended.has(id)));
    const leaving = [{ instance, node: node.name }];
    const loss = await targetLoss(leaving, { ...members, own }, this.#ports);
    return loss.kind === "avoidable" || loss.kind === "unread" ? loss.reasons : [];
  }

  /** Warns of load balancers, of each thing once. */
  #tell(message: string): void {
    if (!this.#reported.has(message)) this.#site.report.warn("load balancers", message);
    this.#reported.add(message);
  }
}

function membersIn(
  instance: InstanceId,
  { groups, hosts }: ZoneLook,
  now: Instant,
): Omit<Leavers, "ids"> {
  const group = groups.find(({ instances }) => instances.some(({ id }) => id === instance));
  const nodes = hosts.map(({ node }) => ({ ...node, instance: instanceOf(node) }));
  return membersOf(group, nodes, now);
}

/** Why the instance of an empty node is not ended. */
function tryStay({ node, state }: ZoneNode): string | undefined {
  if (!node.unschedulable || tryCause(node, drainReasons) === undefined)
    return "somebody has opened it meanwhile, so its instance stays";
  return state === "InService" ? undefined : `its instance is ${state}, so it is not replaced`;
}

const targetPorts = (
  { aws, client, clock }: EvacuationSite,
  tell: (message: string) => void,
): TargetPorts => ({
  instances: awsParts(aws).ec2,
  targetGroups: new ElbTargetGroups(aws, clock),
  groupNodes: new KubeGroupNodes(client, { namesOf: async () => new Map() }),
  journal: { record: (entry) => entry.kind === "fault" && tell(entry.message) },
});
