import type { Entry } from "../../../journal/entry.ts";
import type { Outcome } from "../../../journal/outcome.ts";
import {
  actionToken,
  groupName,
  hookName,
  instanceId,
  nodeName,
  podUid,
} from "../../../lambda/base/ids.ts";
import { type Instant, instant, later, seconds, timestamp } from "../../../lambda/base/time.ts";

/** The time at which every log begins. */
export const begin = instant(Date.parse("2026-03-23T09:14:05Z"));

/** Which drain a log tells of. */
export interface LogSpec {
  /** A number from 0 to 99: of the instance, the node, and the token. */
  readonly number: number;
  readonly from: Instant;
  /** A pod that a budget holds for five minutes. */
  readonly pod: string;
  readonly end: "drained" | "forced" | "expired" | "none";
}

const web = "shop/web-7d4b";
const db = "shop/db-0";
const dns = "kube-system/coredns-5c9f";
const hook = hookName("Terminate-LC-Hook");
const deadline = seconds(900);
const budget = { budget: "shop/checkout", healthy: 3, desired: 3, allowed: 0 };

/** The names in a log. */
export const namesOf = ({ number }: Pick<LogSpec, "number">) => {
  const two = String(number).padStart(2, "0");
  return {
    instance: instanceId(`i-07e9ea9eb19a673${two}`),
    node: nodeName(`ip-192-168-18-${number}.eu-west-1.compute.internal`),
    token: actionToken(`3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a6${two}`),
    group: groupName("workers"),
  };
};

/** The lines of a drain in three passes: a budget, a critical pod, volumes, a load balancer and a fault. */
export function drainLog(spec: LogSpec): readonly string[] {
  const names = namesOf(spec);
  return storyOf(spec).map(([after, entry]) =>
    JSON.stringify({
      at: timestamp(later(spec.from, seconds(after))),
      ...entry,
      messageId: `message-${spec.number}`,
      ...names,
    }),
  );
}

type Told = readonly [after: number, entry: Entry];

function storyOf(spec: LogSpec): readonly Told[] {
  const { from, pod, end } = spec;
  const { instance, node, token, group } = namesOf(spec);
  const notice = `terminating ${instance} of ${group}`;
  const action = { group, hook, token, instance };
  const marked = timestamp(later(from, deadline));
  const reason = "terminating";
  const why = `budget ${budget.budget} allows 0 disruptions, 3 of 3 are healthy`;
  const left = [{ about: pod, why }];
  const pass = (receives: number): Entry => ({ kind: "pass-started", notice, receives });
  const beat: Entry = { kind: "heartbeat", hook, instance };
  const held: Entry = { kind: "pods-held", node, pods: [pod], owners: [], ...budget };
  const freed: Entry = {
    kind: "pods-freed",
    node,
    by: "budget",
    pods: [pod],
    ...budget,
    healthy: 4,
    allowed: 1,
  };
  const evicted = (name: string): Entry => ({
    kind: "pod-evicted",
    pod: name,
    node,
    graceSeconds: 30,
  });
  const seen = (...holding: readonly string[]): Entry => ({
    kind: "pods-seen",
    node,
    holding,
    critical: [dns],
    skipped: ["kube-system/aws-node-j2c7p"],
    deadline: "",
  });
  const forced: Entry = {
    kind: "pod-deleted",
    pod,
    node,
    graceSeconds: 30,
    past: "budget shop/checkout",
    uid: podUid("a"),
  };
  const outcomes: Readonly<Record<LogSpec["end"], Outcome>> = {
    drained: { kind: "drained", attached: [], stuck: [] },
    forced: { kind: "forced", attached: [], stuck: [], forced: [`${pod}: past ${budget.budget}`] },
    expired: { kind: "expired", left },
    none: { kind: "tested" },
  };
  const told: readonly Told[] = [
    [0, pass(1)],
    [0.4, beat],
    [0.5, { kind: "node-found", node, instance }],
    [
      0.9,
      { kind: "node-marked", node, labelled: "ours", cordoned: "ours", reason, deadline: marked },
    ],
    [1, { kind: "targets-awaited", node, targets: ["target group web: draining"] }],
    [1, seen(web, pod, dns, db)],
    [1.5, evicted(web)],
    [1.5, held],
    [20, evicted(db)],
    [31, { kind: "pod-gone", pod: web, node }],
    [31, beat],
    [50, { kind: "pass-ended", left, wait: seconds(20) }],
    [70, pass(2)],
    [71, beat],
    [71, seen(pod, dns)],
    [71, held],
    [
      100,
      { kind: "fault", code: "cluster.unreachable", message: "watching pods", retryable: true },
    ],
    [160, pass(3)],
    [161, beat],
    [161, seen(pod, dns)],
    [161, held],
  ];
  if (end === "none") return [...told, [210, { kind: "pass-ended", left, wait: seconds(60) }]];
  const leaving: readonly Told[] = [
    [290, freed],
    [291, end === "forced" ? forced : evicted(pod)],
    [310, { kind: "pod-gone", pod, node }],
    [311, evicted(dns)],
    [330, { kind: "pod-gone", pod: dns, node }],
    [331, { kind: "volumes-awaited", node, volumes: ["pvc-4f2a"] }],
  ];
  return [
    ...told,
    ...(end === "expired" ? [] : leaving),
    [340, { kind: "targets-gone", node }],
    [352, { kind: "hook-completed", action, result: "CONTINUE" }],
    [352, { kind: "notice-done", notice, outcome: outcomes[end] }],
  ];
}
