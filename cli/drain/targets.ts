import { faultOf } from "../../lambda/base/fault.ts";
import { type InstanceId, instanceId, nodeName } from "../../lambda/base/ids.ts";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import type { Instant } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { listAll } from "../../lambda/kubernetes/collection.ts";
import { allNodes } from "../../lambda/kubernetes/collections.ts";
import type { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-connection.ts";
import { tryNearest } from "../../lib/nearest.ts";
import { CommandFailure } from "../command-failure.ts";
import { awsAt } from "../connect/aws-access.ts";
import { type AwsParts, awsParts } from "../connect/aws-parts.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import { readsAtOnce } from "../connect/reads-at-once.ts";
import { reasonOf } from "../remedies.ts";
import type { NodeFacts } from "./drain-refusal.ts";

/** A node that the user names, and its instance. */
export interface NamedNode {
  readonly node: Node;
  readonly instance: InstanceId;
}

interface KubeReach {
  readonly cluster: KubeCluster;
  readonly client: KubeClient;
}

/** The nodes that the user names or whose instances the user names, each once. */
export async function targetsOf(
  given: readonly string[],
  found: KubeReach,
): Promise<readonly NamedNode[]> {
  const targets = await Promise.all(given.map((text) => targetOf(text, found)));
  return [...new Map(targets.map((target) => [target.node.uid, target])).values()];
}

/** A node is given by its name, or as `kubectl get nodes --output name` prints it. */
async function targetOf(given: string, found: KubeReach): Promise<NamedNode> {
  const text = given.replace(/^node\//, "");
  const isInstance = /^i-[0-9a-f]{8,17}$/.test(text);
  const target = isInstance
    ? onlyOne(text, await targetsAt(instanceId(text), found))
    : await namedTarget(text, found);
  if (target === "absent") throw await unknownNode(text, found.client);
  return target;
}

function onlyOne(instance: string, targets: readonly NamedNode[]): NamedNode | "absent" {
  const [first = "absent", ...others] = targets;
  if (others.length === 0) return first;
  throw new CommandFailure(
    `${severalText(targets)} say that they run on ${instance}; nothing was touched`,
    "name the one that has the private DNS name which EC2 gives the instance",
  );
}

/** Nodes that name the same instance: at most one of them tells the truth. */
export const severalText = (targets: readonly NamedNode[]): string =>
  `several nodes (${targets.map(({ node }) => node.name).join(", ")})`;

async function namedTarget(text: string, { cluster }: KubeReach): Promise<NamedNode | "absent"> {
  const node = await cluster.node(nodeName(text));
  if (node === "absent") return node;
  const [, instance] = /^aws:.*\/(i-[0-9a-f]+)$/.exec(node.providerId) ?? [];
  if (instance !== undefined) return { node, instance: instanceId(instance) };
  throw new CommandFailure(
    `node ${node.name} runs on no EC2 instance (its provider ID is "${node.providerId}")`,
    `drain it with \`kubectl drain ${node.name}\``,
  );
}

/** The nodes of an instance: several, if a kubelet has registered with the provider ID of another's. */
export async function targetsAt(
  instance: InstanceId,
  { cluster }: Pick<KubeReach, "cluster">,
): Promise<readonly NamedNode[]> {
  const nodes = await cluster.nodesOf(instance, "all");
  return nodes.map((node) => ({ node, instance }));
}

const mostNames = 5;

/** The cluster has no node of a name. */
export class UnknownNode extends CommandFailure {}

async function unknownNode(text: string, client: KubeClient): Promise<UnknownNode> {
  const { items } = await client.ask("listing nodes", (connection) =>
    listAll(allNodes, connection),
  );
  const names = items.map(({ name }) => `${name}`);
  const nearest = tryNearest(text, names);
  const some = names
    .filter((name) => name.startsWith(text))
    .concat(names)
    .slice(0, mostNames);
  const more = names.length > mostNames ? `, … (${names.length} in all)` : "";
  return new UnknownNode(
    `the cluster has no node ${text}`,
    nearest === undefined
      ? `name one of its nodes: ${[...new Set(some)].join(", ")}${more}`
      : `did you mean ${nearest}?`,
  );
}

type InstanceFacts = Pick<NodeFacts, "ec2Instance" | "membership">;

/**
 * AWS' answer about the instances; `unasked`, with the reason, if something that a drain needs
 * cannot be read.
 */
export type AwsAnswer =
  | {
      readonly kind: "asked";
      readonly aws: AwsParts;
      readonly said: ReadonlyMap<InstanceId, InstanceFacts>;
    }
  | {
      readonly kind: "unasked";
      readonly why: string;
      readonly said: ReadonlyMap<InstanceId, InstanceFacts>;
    };

const regionLabel = "topology.kubernetes.io/region";

/** Reads the instances of some nodes from AWS, if the user has credentials. */
export async function askAws(
  targets: readonly NamedNode[],
  { region, profile }: Pick<ConnectionOptions, "profile" | "region">,
): Promise<AwsAnswer> {
  const here = region ?? targets[0]?.node.labels[regionLabel];
  const aws = awsParts(awsAt({ ...(profile && { profile }), ...(here && { region: here }) }));
  const said: InstanceAnswers = new Map();
  try {
    const stranger = await tryStranger(targets, aws, said);
    return stranger === undefined
      ? { kind: "asked", aws, said }
      : { kind: "unasked", why: strange(stranger, here), said };
  } catch (cause) {
    return { kind: "unasked", why: reasonOf(faultOf(cause)).why, said };
  }
}

/** The facts about a node, from AWS and the cluster. */
export function nodeFactsOf(
  { node, instance }: NamedNode,
  { said }: AwsAnswer,
  now: Instant,
): NodeFacts {
  const nothing = { membership: "unasked", ec2Instance: "unasked" } as const;
  return { node, now, ...(said.get(instance) ?? nothing) };
}

type InstanceAnswers = Map<InstanceId, InstanceFacts>;

/** Collects what Auto Scaling and EC2 say about the instances. Returns an instance that EC2 does not know. */
async function tryStranger(
  targets: readonly NamedNode[],
  { groups, ec2 }: AwsParts,
  said: InstanceAnswers,
): Promise<InstanceId | undefined> {
  const instances = targets.map(({ instance }) => instance);
  const members = await groups.memberships(instances);
  // A hook counts even if EC2 has no answer.
  for (const [instance, membership] of members)
    said.set(instance, { membership, ec2Instance: "unasked" });
  const strangers: InstanceId[] = [];
  const described = await sideBySide(instances, readsAtOnce, async (instance) => ({
    instance,
    ec2Instance: await ec2.describe(instance),
  }));
  for (const { instance, ec2Instance } of described) {
    const membership = members.get(instance) ?? { kind: "none" };
    if (ec2Instance === "unknown") strangers.push(instance);
    else said.set(instance, { ec2Instance, membership });
  }
  return strangers[0];
}

const strange = (instance: InstanceId, region = "the usual Region"): string =>
  `EC2 does not know ${instance} in ${region} of this account`;
