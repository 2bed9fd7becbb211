import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Aws } from "../sandbox/aws/aws.ts";
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
  /** Whether the node's instance terminates in the end. */
  readonly instance: "terminates" | "stays";
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
  instance: "terminates",
};

/** This project, from the event that announces a Spot interruption to the end of its notice. */
export const spot: Contender = {
  name: "eks-node-lifecycle, Spot",
  userAgent: "eks-node-lifecycle/",
  async drain({ aws, topicArn, log }, { instanceId }) {
    const from = log.length;
    const message = JSON.stringify(interruption(instanceId, aws));
    aws.sns.publish(topicArn, { subject: "", message });
    while (!log.slice(from).some((line) => line.includes('"notice-done"'))) await setTimeout(20);
    return Date.now();
  },
  instance: "stays",
};

const interruption = (instance: string, { account: { id, region } }: Aws) => ({
  version: "0",
  id: randomUUID(),
  "detail-type": "EC2 Spot Instance Interruption Warning",
  source: "aws.ec2",
  account: id,
  time: new Date().toISOString(),
  region,
  resources: [`arn:aws:ec2:${region}a:instance/${instance}`],
  detail: { "instance-id": instance, "instance-action": "terminate" },
});

export const kubectl: Contender = {
  name: "kubectl drain",
  userAgent: "kubectl/",
  instance: "stays",
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
  instance: "stays",
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
