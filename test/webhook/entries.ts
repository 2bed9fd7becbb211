import { actionToken, groupName, instanceId, nodeName } from "../../lambda/base/ids.ts";
import { type Duration, later, seconds } from "../../lambda/base/time.ts";
import type { Outcome } from "../../lambda/notice/outcome.ts";
import type { Entry } from "../../lambda/registrations/entry.ts";
import type { OfInstance } from "../../lambda/webhook/news.ts";
import { start } from "../sandbox/aws-account.ts";

/** The instance of these entries, and its node. */
export const instance = instanceId("i-07e9ea9eb19a67337");
const node = nodeName("node-1");

/** A token of a lifecycle action, by one of its digits. */
export const token = (digit: number) =>
  actionToken(`${String(digit).repeat(8)}-a1a5-46ad-82d8-8e31911276a3`);

/** An entry of the journal about the drain of an instance. */
export const entry = (what: Entry, at: Duration = seconds(0), of = token(1)): OfInstance => ({
  ...what,
  at: later(start, at),
  instance,
  group: groupName("workers"),
  token: of,
});

/** The node is looked at when a pass begins. */
export const seen: Entry = {
  kind: "pods-seen",
  node,
  holding: ["shop/web-1", "shop/web-2"],
  critical: [],
  skipped: ["kube-system/proxy"],
  deadline: "2026-03-23T10:15:00.000Z",
};

/** A budget lets a pod not go. */
export const held = (budget = "shop/web"): Extract<Entry, { kind: "pods-held" }> => ({
  ...{ kind: "pods-held", node, pods: ["shop/web-1"], owners: [] },
  ...{ budget, healthy: 2, desired: 2, allowed: 0 },
});

/** A pod is evicted. */
export const evicted: Entry = { kind: "pod-evicted", pod: "shop/web-2", node, graceSeconds: 30 };

/** The notice is done. */
export const done = (outcome: Outcome): Entry => ({
  kind: "notice-done",
  notice: "terminating",
  outcome,
});

/** Nothing is left on the node. */
export const drained: Outcome = { kind: "drained", attached: [], stuck: [] };
