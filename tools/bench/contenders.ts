import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ClusterNode } from "../../test/cluster/control-plane-options.ts";
import type { RealWorld } from "../../test/cluster/real-world.ts";
import { builtScript } from "./cold/built-script.ts";
import { newChild } from "./cold/child.ts";
import type { CpuShare } from "./cold/cpu-share.ts";

/** A program that empties a node. */
export interface Contender {
  readonly name: string;
  /** The start of its user agent in the audit log. */
  readonly userAgent: string;
  /** The steps before the time counts. */
  prepare(world: RealWorld, node: ClusterNode): Promise<void>;
  /** Empties a node with a share of a core, if one is given; returns the time at which the program said that it was done. */
  drain(world: RealWorld, node: ClusterNode, share?: CpuShare): Promise<number>;
}

const prepare = async (world: RealWorld): Promise<void> => world.coolDown();

/** This project in a new process, from the call that terminates the instance to the completed hook. */
const ours: Contender = {
  name: "eks-node-lifecycle",
  userAgent: "eks-node-lifecycle/",
  prepare,
  async drain(world, { instanceId }, share) {
    world.terminate(instanceId);
    await newChild(share);
    await world.released(instanceId);
    return Date.now();
  },
};

const kubectl: Contender = {
  name: "kubectl drain",
  userAgent: "kubectl/",
  prepare: async () => undefined,
  async drain({ controlPlane }, { name }) {
    const flags = ["--ignore-daemonsets", "--delete-emptydir-data", "--force"];
    await controlPlane.kubectlText("drain", name, ...flags);
    return Date.now();
  },
};

/** The bare script, which drains a node that is cordoned. */
export const script: Contender = {
  name: "bare script",
  userAgent: "bare-script",
  async prepare({ controlPlane }, { name }) {
    await builtScript();
    await controlPlane.kubectlText("cordon", name);
  },
  async drain({ controlPlane: { kubeconfig } }, { name }, share) {
    const args = [await builtScript(), name, kubeconfig];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    if (child.pid !== undefined) share?.add(child.pid);
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`the bare script ended with ${code}`);
    return Date.now();
  },
};

/** All contenders, in the order in which they are measured. */
export const contenders: readonly Contender[] = [ours, kubectl, script];

/** Those whose process can be given a share of a core: one of this project, and the script. */
export const sharedContenders: readonly Contender[] = [ours, script];
