import { expect, test } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { type Instant, later, minutes, never, timestamp } from "../../lambda/base/time.ts";
import { putRoomBack } from "../../lambda/making-room/give-back.flow.ts";
import { KnownSurges } from "../../lambda/making-room/known-surges.ts";
import type { Workloads } from "../../lambda/making-room/making-room.port.ts";
import { surgeContextOf } from "../../lambda/making-room/reconcile-surge.flow.ts";
import { recordAnnotation, recordText } from "../../lambda/making-room/record.ts";
import type { Workload } from "../../lambda/making-room/workload.ts";
import { start } from "../support/aws-account.ts";
import { aPod, someSettings } from "../support/builders.ts";
import { QuickClock } from "../support/quick-clock.ts";
import { aWorkload } from "./a-workload.ts";

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

const own = "own";
const others = ["a", "b", "c", "d", "e", "f"];

/** What is named where a process has surged one of these workloads; all have an old pod on another node that is marked. */
async function namedBy(who: "command" | "schedule", until: Instant): Promise<readonly string[]> {
  const times = { since: later(start, minutes(-9)), until };
  const text = recordText({ phase: "up", was: 1, is: 2, why: "node b", ...times });
  const annotations = { [recordAnnotation]: text };
  const surged = [...others, own].map(
    (name): Workload => ({ ...aWorkload(2), name, uid: name, annotations }),
  );
  const old = { requests: {}, demands: [], apart: [], unplaced: "", readySince: start };
  const name = nodeName("other");
  const made = aPod({ node: nodeName("new"), created: start, ready: false });
  const workloads: Partial<Workloads> = {
    records: () => Promise.resolve({ records: surged, skipped: [{ about: "", why: "skipped" }] }),
    recordedBy: () => Promise.resolve({ workloads: surged, skipped: [] }),
    replicasOf: () => Promise.resolve([aPod({ node: name }), made].map((pod) => ({ ...old, pod }))),
    namespaceWishes: () => Promise.resolve({}),
  };
  const marked = { "eks-node-lifecycle/marked-at": timestamp(later(start, minutes(-5))) };
  const known = new KnownSurges();
  known.began(own, { raisedTo: 2, pods: [] }, start);
  const ports = {
    clock: { now: () => start, sleep: () => new Promise<void>(() => undefined) },
    cluster: {
      nodes: async () => ({
        cordoned: [{ name, labels: {}, annotations: marked }],
        hosts: () => Promise.resolve([]),
      }),
      workloads: async () => workloads as Workloads,
    },
    journal: { record: () => undefined },
    known,
  };
  const over = who === "command" ? [nodeName("ended")] : undefined;
  const notes = await putRoomBack(someSettings({ makeRoom: "on" }), ports, over);
  return notes.map(({ about, why }) => about || why);
}

test.each([
  ["command", "its own count alone", "time is not over", 1, [own, "skipped"]],
  [
    "command",
    "first its own",
    "is over",
    -1,
    [own, "skipped", ...others.slice(0, 3), "and 3 more"],
  ],
  ["schedule", "none", "time is not over", 1, ["skipped"]],
] as const)(
  "a %s names of counts %s, where that of the others %s",
  async (who, _, _time, ahead, all) => {
    const named = await namedBy(who, later(start, minutes(ahead)));
    expect(named.map((one) => one.replace("demo/deployment/", ""))).toEqual(all);
  },
);
