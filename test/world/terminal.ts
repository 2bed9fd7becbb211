import { drainNode } from "../../cli/drain/drain-passes.ts";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import type { NoticePorts } from "../../lambda/node-work.flow.ts";
import { noticeWork } from "../../lambda/node-work.flow.ts";
import { interrupt } from "./ec2-events.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { instanceOf, type MakesWork, nodeOf } from "./world-options.ts";

/** Drains the first node as `drain` does at a terminal, in virtual time, whatever notice comes. */
export const atTerminal =
  (given: Partial<DrainSettings> = {}): MakesWork =>
  (config, ports) => ({
    ...noticeWork(config, ports),
    run: async () => {
      const settings = { ...config.drain.settingsFor({}).settings, ...given };
      return { kind: "done", outcome: await drained(settings, ports) };
    },
  });

async function drained(settings: DrainSettings, ports: NoticePorts) {
  const node = await ports.cluster.node(nodeName(nodeOf(1)));
  if (node === "absent") throw new Error("there is no node");
  const drain = {
    node,
    instance: instanceId(instanceOf(1)),
    settings,
    reason: "requested",
  } as const;
  return drainNode(drain, ports);
}

/** Runs the command of such a world. */
export function command(world: VirtualWorld): Promise<void> {
  interrupt(world);
  return world.work();
}
