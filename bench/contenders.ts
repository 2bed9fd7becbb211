import { execFile } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ClusterNode } from "../test/cluster/control-plane-options.ts";
import type { RealWorld } from "../test/cluster/real-world.ts";

const run = promisify(execFile);
const scriptAt = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A program that empties a node. */
export interface Contender {
  readonly name: string;
  /** The start of its user agent in the audit log. */
  readonly userAgent: string;
  /** Empties a node; returns the time at which the program said that it was done. */
  drain(world: RealWorld, node: ClusterNode): Promise<number>;
}

/** This project, from the call that terminates the instance to the completed hook. */
const ours: Contender = {
  name: "eks-node-lifecycle",
  userAgent: "eks-node-lifecycle/",
  async drain(world, { instanceId }) {
    world.terminate(instanceId);
    await world.released(instanceId);
    return Date.now();
  },
};

/** This project, from the event of EventBridge that EC2 takes the Spot instance back to the end of its notice. */
const interrupted: Contender = {
  name: "eks-node-lifecycle, Spot",
  userAgent: "eks-node-lifecycle/",
  async drain(world, { instanceId }) {
    const before = noticesDone(world);
    world.aws.sns.publish(world.topicArn, { subject: "", message: interruptionOf(instanceId) });
    while (noticesDone(world) === before) await setTimeout(20);
    return Date.now();
  },
};

const noticesDone = ({ log }: RealWorld): number =>
  log.filter((line) => line.includes('"kind":"notice-done"')).length;

const interruptionOf = (instance: string): string =>
  JSON.stringify({
    version: "0",
    id: "1e5527d7-bb36-4607-3370-4164db56a40e",
    "detail-type": "EC2 Spot Instance Interruption Warning",
    source: "aws.ec2",
    account: "123456789012",
    time: new Date().toISOString(),
    region: "eu-west-1",
    resources: [],
    detail: { "instance-id": instance, "instance-action": "terminate" },
  });

const kubectl: Contender = {
  name: "kubectl drain",
  userAgent: "kubectl/",
  async drain({ controlPlane }, { name }) {
    const flags = ["--ignore-daemonsets", "--delete-emptydir-data", "--force"];
    await controlPlane.kubectlText("drain", name, ...flags);
    return Date.now();
  },
};

/** A script of ours that drains; it starts after the cordon. */
const scripted = (name: string, file: string): Contender => ({
  name,
  userAgent: "bare-script",
  async drain({ controlPlane }, { name: node }) {
    await controlPlane.kubectlText("cordon", node);
    await run(process.execPath, [scriptAt(file), node, controlPlane.kubeconfig]);
    return Date.now();
  },
});

const bare = scripted("bare script", "bare-script.ts");
const watching = scripted("watching script", "watching-script.ts");

/** All contenders, in the order in which they are measured. */
export const contenders: readonly Contender[] = [ours, kubectl, bare, watching];

/** The contenders for a Spot instance. */
export const spotContenders: readonly Contender[] = [interrupted, kubectl, bare];
