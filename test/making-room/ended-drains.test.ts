import { expect, test } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { type Instant, later, minutes, never, timestamp } from "../../lambda/base/time.ts";
import { KnownSurges } from "../../lambda/making-room/known-surges.ts";
import { surgeContextOf } from "../../lambda/making-room/reconcile-surge.flow.ts";
import { start } from "../support/aws-account.ts";
import { someSettings } from "../support/builders.ts";
import { QuickClock } from "../support/quick-clock.ts";

const unasked = () => Promise.reject(new TypeError("nobody asks for this"));

/** Whether the drain of a node is known to be over to a command that has ended drains of some nodes. */
async function isOver(node: string, deadline: Instant): Promise<boolean | undefined> {
  const annotations = {
    "eks-node-lifecycle/marked-at": timestamp(later(start, minutes(-5))),
    "eks-node-lifecycle/reason": "requested",
    ...(deadline < never && { "eks-node-lifecycle/deadline": timestamp(deadline) }),
  };
  const marked = { name: nodeName(node), labels: {}, annotations };
  const cluster = {
    nodes: () => Promise.resolve({ cordoned: [marked], hosts: unasked }),
    workloads: () => Promise.resolve({} as never),
  };
  const ports = {
    clock: new QuickClock(),
    cluster,
    journal: { record: () => undefined },
    known: new KnownSurges(),
  };
  const settings = someSettings({ makeRoom: "on" });
  const context = await surgeContextOf("none", settings, ports, [nodeName("ended")]);
  return context.draining.get(nodeName(node))?.isOver;
}

test.each([
  ["is over, of the command's own node", "ended", never, true],
  [
    "is over, of its own node, whose mark has a deadline of earlier",
    "ended",
    later(start, minutes(-1)),
    true,
  ],
  [
    "goes on, of its own node, where the mark has the deadline of another one",
    "ended",
    later(start, minutes(1)),
    false,
  ],
  ["may go on, of another node", "other", never, false],
])("the drain %s", async (_, node, deadline, over) => {
  expect(await isOver(node, deadline)).toBe(over);
});
