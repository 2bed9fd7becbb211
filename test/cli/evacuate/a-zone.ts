import { expect } from "vitest";
import { main } from "../../../cli/main.ts";
import { nodes, pods } from "../../../sandbox/kubernetes/core-resources.ts";
import type { Node } from "../../../sandbox/kubernetes/node.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite, type Site } from "../connect/a-site.ts";

export const { group } = terminateAction;

/** The zone that is evacuated, its two nodes, and a node that stays. */
export const zone = "eu-west-1b";
export const [first, second] = [
  "ip-192-168-43-17.eu-west-1.compute.internal",
  "ip-192-168-43-18.eu-west-1.compute.internal",
] as const;
export const staying = "ip-192-168-77-142.eu-west-1.compute.internal";
/** A node of another zone that a hook holds. */
export const held = { node: "ip-192-168-18-230.eu-west-1.compute.internal", zone: "eu-west-1a" };
/** The instance of the second node. */
const secondInstance = "i-0a4c1f92d6b83e571";
const firstInstance = "i-0a4c1f92d6b83e570";
export const evacuatedInstances = [firstInstance, secondInstance] as const;

/** The demo with a second node in a zone, and a workload whose pods are all in that zone. */
export async function aZone(options: Parameters<typeof aSite>[0] = {}): Promise<Site> {
  const site = await aSite(options);
  join(site, second, secondInstance);
  const placed = [first, second, second].map((node, at) => ({ name: `web-${at + 1}`, node }));
  site.cluster.addDeployment({
    name: "web",
    labels: { app: "web" },
    replicas: placed.length,
    pods: placed,
  });
  return site;
}

/** Adds a node to the zone, and its instance to the group. */
export function join({ aws, cluster }: Site, name: string, id: string): void {
  aws.ec2.run({ id, zone, privateIp: name.replace(/^ip-|\..*$/g, "").replaceAll("-", ".") });
  aws.autoScaling.attach({ id, zone, group });
  cluster.addNode({ name, providerID: `aws:///${zone}/${id}` });
}

/** Runs the command on the demo. */
export function evacuate(...args: readonly string[]) {
  const io = capturedIo();
  const words = ["evacuate", demoNode.clusterName, "--zone", zone, "--settle", "0s", ...args];
  return { io, code: main(words, io) };
}

/** Runs the command, and expects that it ends so; returns what it has told. */
export async function evacuated(code: number, ...args: readonly string[]) {
  const { io, code: ended } = evacuate(...args);
  expect(await ended, io.err() + io.out()).toBe(code);
  return { told: io.out(), complained: io.err(), io };
}

/** Takes the subnet of the zone out of the group, so that no instance can come back there. */
export function takeSubnetOut({ aws: { autoScaling } }: Site): void {
  const found = autoScaling.register.findGroup(group);
  autoScaling.register.put({ ...found, zones: found.zones.filter((one) => one !== zone) });
}

/** A node as it is now. */
export const nodeNow = ({ cluster }: Site, name: string): Node =>
  cluster.store.get({ resource: nodes, name });

/** Which of these nodes are cordoned. */
export const cordoned = (site: Site, ...names: readonly string[]): readonly string[] =>
  names.filter((name) => nodeNow(site, name).spec.unschedulable === true);

/** The pods of the workload on some nodes. */
export const webOn = ({ cluster }: Site, ...names: readonly string[]): readonly string[] =>
  cluster.store
    .list(pods)
    .filter(({ spec }) => names.includes(spec.nodeName ?? ""))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith("web"));

/** What the command has written to the cluster: each request in short. */
export const writesIn = ({ cluster }: Site): readonly string[] =>
  cluster.audit
    .filter(
      ({ verb, responseStatus: { code } }) => ["patch", "create"].includes(verb) && code < 300,
    )
    .flatMap(({ objectRef: { resource, subresource = "", name = "" } = { resource: "" } }) =>
      resource === "nodes" && subresource === ""
        ? [`mark ${name}`]
        : subresource === "eviction"
          ? ["evict"]
          : [],
    );

/** The states of the zone's instances in their group. */
export const statesIn = ({ aws }: Site): readonly string[] =>
  [firstInstance, secondInstance].map((id) => aws.autoScaling.register.findInstance(id).state);
