import type { ReplayResult } from "../../../cli/replay/replay-request.ts";
import type { Entry } from "../../../journal/entry.ts";
import type { Happening, WorldEntry } from "../../../journal/happening.ts";
import {
  actionToken,
  groupName,
  hookName,
  instanceId,
  nodeName,
} from "../../../lambda/base/ids.ts";
import { instant, later, milliseconds, timestamp } from "../../../lambda/base/time.ts";

/** The time at which every story begins. */
export const start = instant(Date.parse("2026-03-23T09:14:05.218Z"));

/** A point in time of a story, in seconds from its beginning. */
export const at = (seconds: number) => later(start, milliseconds(seconds * 1000));

/** An entry of the function's journal. */
export const told = (seconds: number, entry: Entry): Happening => ({
  ...entry,
  at: at(seconds),
  source: "function",
});

/** An event of the world. */
export const seen = (seconds: number, entry: WorldEntry): Happening => ({
  ...entry,
  at: at(seconds),
  source: "world",
});

/** The instance and node of every story. */
export const node = nodeName("ip-192-168-18-230.eu-west-1.compute.internal");
export const instance = instanceId("i-07e9ea9eb19a67337");
export const action = {
  group: groupName("workers"),
  hook: hookName("Terminate-LC-Hook"),
  token: actionToken("3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a604"),
  instance,
};

/** A drain of a web pod and a critical one, in ten seconds. */
export const drain: readonly Happening[] = [
  told(0.5, { kind: "pass-started", notice: "terminating i-1 of workers", receives: 1 }),
  told(1, { kind: "heartbeat", hook: action.hook, instance }),
  told(1, { kind: "node-found", node, instance }),
  told(1, {
    kind: "node-marked",
    node,
    labelled: "ours",
    cordoned: "ours",
    reason: "terminating",
    deadline: timestamp(at(41)),
  }),
  told(1, {
    kind: "pods-seen",
    node,
    holding: ["demo/web", "kube-system/dns"],
    critical: ["kube-system/dns"],
    skipped: ["kube-system/proxy"],
    deadline: timestamp(at(41)),
  }),
  told(2, { kind: "pod-evicted", pod: "demo/web", node, graceSeconds: 30 }),
  seen(3, { kind: "pod-running", pod: "demo/web-2", node: "ip-1.x", replaces: "demo/web" }),
  told(4, { kind: "pod-gone", pod: "demo/web", node }),
  told(4, { kind: "pod-evicted", pod: "kube-system/dns", node, graceSeconds: 30 }),
  told(5, { kind: "pod-gone", pod: "kube-system/dns", node }),
  seen(6, {
    kind: "pod-running",
    pod: "kube-system/dns-2",
    node: "ip-2.x",
    replaces: "kube-system/dns",
  }),
  told(10, { kind: "hook-completed", action, result: "CONTINUE" }),
  told(10, {
    kind: "notice-done",
    notice: "terminating i-1 of workers",
    outcome: { kind: "drained", attached: [], stuck: [] },
  }),
];

/** The result of that drain, with changes. */
export const aResult = (differing: Partial<ReplayResult> = {}): ReplayResult => ({
  ending: "answered",
  via: "queue",
  from: start,
  to: at(10),
  happenings: drain,
  outcomes: [{ kind: "drained", attached: [], stuck: [] }],
  left: [],
  whereabouts: {
    queue: "notices",
    waiting: [],
    deadLetterQueue: "dead-notices",
    deadLetters: 0,
  },
  ...differing,
});
