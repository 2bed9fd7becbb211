import { setTimeout } from "node:timers/promises";
import { CoreV1Api } from "@kubernetes/client-node";
import type { RealWorld } from "../../../test/cluster/real-world.ts";

const quick = 500;
const looksInARow = 5;
const idle = 20; // writes between two looks: the leases of the nodes, and Events

/**
 * Waits until the controllers of a cluster have written what they had to, and the API server answers quickly. New objects
 * keep the controllers busy for minutes, and what a drain needs of them would wait behind that.
 */
export async function settled({ controlPlane }: RealWorld): Promise<void> {
  const core = controlPlane.api(CoreV1Api);
  const isQuick = async (): Promise<boolean> => {
    const began = Date.now();
    await core.listPodForAllNamespaces({ fieldSelector: "spec.nodeName=node-1", limit: 500 });
    return Date.now() - began < quick;
  };
  let before = await writesOf(controlPlane);
  for (let inARow = 0; inARow < looksInARow; ) {
    await setTimeout(2000);
    const now = await writesOf(controlPlane);
    const answersQuickly = await isQuick().catch(() => false); // a busy API server refuses, too
    inARow = answersQuickly && now - before < idle ? inARow + 1 : 0;
    before = now;
  }
}

/** The number of writes that the API server has answered since its start, whatever the answers. */
async function writesOf(controlPlane: RealWorld["controlPlane"]): Promise<number> {
  const metrics = await controlPlane.kubectlText("get", "--raw", "/metrics");
  const writes = /^apiserver_request_total\{.*verb="(?:DELETE|PATCH|POST|PUT)".*\} (\d+)$/gm;
  return [...metrics.matchAll(writes)].reduce((sum, [, count]) => sum + Number(count), 0);
}
