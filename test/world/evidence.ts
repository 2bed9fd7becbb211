import type { Outcome } from "../../journal/outcome.ts";
import {
  between,
  type Duration,
  type Instant,
  instant,
  milliseconds,
} from "../../lambda/base/time.ts";
import type { CallOutcome } from "../../sandbox/aws/calls.ts";
import type { AuditEvent } from "../../sandbox/kubernetes/api/audit-trail.ts";
import { type KubeEvent, kubeEvents } from "../../sandbox/kubernetes/kube-event.ts";
import { deletion, letGo } from "./request-body-schema.ts";
import type { VirtualWorld } from "./virtual-world.ts";

/** A request that changed something in the cluster, or tried to. */
export interface Write {
  readonly at: Instant;
  /** Such as `create pods/eviction web-1 201`. */
  readonly what: string;
  readonly body: unknown;
}

const changing = ["create", "update", "patch", "delete"];

/** The function's answered requests that change something in the cluster, in their order; without Events, which change nothing. */
export const writesIn = ({ cluster }: VirtualWorld): readonly Write[] =>
  cluster.audit
    .filter((event) => changing.includes(event.verb) && !isTelling(event))
    .map((event) => ({
      at: instant(Date.parse(event.requestReceivedTimestamp)),
      what: summary(event),
      body: event.requestObject,
    }));

/** Whether a request records an Event, or repeats one. */
export const isTelling = ({ objectRef }: Pick<AuditEvent, "objectRef">): boolean =>
  objectRef?.apiGroup === kubeEvents.group;

/** The Events that the function has recorded. */
export const eventsIn = ({ cluster }: VirtualWorld): readonly KubeEvent[] =>
  cluster.store.list(kubeEvents);

/** The summaries of those writes. */
export const writtenIn = (world: VirtualWorld): readonly string[] =>
  writesIn(world).map(({ what }) => what);

function summary({ verb, objectRef, responseStatus }: AuditEvent): string {
  const { resource = "", subresource, name = "" } = objectRef ?? {};
  const target = subresource === undefined ? resource : `${resource}/${subresource}`;
  return [verb, target, name, responseStatus.code].join(" ");
}

/** How the lifecycle actions ended, in the order they began: `CONTINUE by call`, or `open`. */
export const endingsIn = ({ aws }: VirtualWorld): readonly string[] =>
  aws.autoScaling
    .actions()
    .map(({ end }) => (end.kind === "open" ? "open" : `${end.result} by ${end.by}`));

/** The outcomes of the notices that are done, in that order. */
export const outcomesIn = (world: VirtualWorld): readonly Outcome[] =>
  world.told("notice-done").map(({ outcome }) => outcome);

/** The UIDs of the pods that the API server agreed to evict or delete, in that order. */
export const evictedIn = (world: VirtualWorld): readonly string[] =>
  writesIn(world)
    .filter(({ what }) => /^(create pods\/eviction|delete pods) \S+ 20[01]$/.test(what))
    .map(({ body }) => uidIn(body));

function uidIn(body: unknown): string {
  const asked = letGo.parse(body);
  return "deleteOptions" in asked ? asked.deleteOptions.preconditions.uid : asked.preconditions.uid;
}

/** How many requests to complete a hook took effect. */
export const completionsIn = ({ aws }: VirtualWorld): number =>
  aws.calls.of("CompleteLifecycleAction").filter(({ outcome }) => tookEffect(outcome)).length;

const tookEffect = (outcome: CallOutcome): boolean =>
  outcome.kind === "answered" || (outcome.kind === "lost" && outcome.effect === "taken");

/** The time from the first receive of a notice until the first notice was done. */
export function took(world: VirtualWorld): Duration {
  const [started] = world.told("pass-started");
  const [done] = world.told("notice-done");
  return started === undefined || done === undefined
    ? milliseconds(Number.POSITIVE_INFINITY)
    : between(started.at, done.at);
}

/** The answered requests to evict a pod, granted or not. */
export const evictionsIn = (world: VirtualWorld): readonly Write[] =>
  writesIn(world).filter(({ what }) => what.startsWith("create pods/eviction"));

/** The answered requests to delete a pod; each must name the pod's UID and a grace. */
export const deletionsIn = (world: VirtualWorld) =>
  writesIn(world)
    .filter(({ what }) => what.startsWith("delete pods"))
    .map((write) => ({ ...write, body: deletion.parse(write.body) }));

/** How long the function worked on the passes of the one notice in this world. */
export function billedIn({ entries }: VirtualWorld): Duration {
  const ends = ["pass-ended", "notice-done"];
  const starts = entries.filter(({ kind }) => kind === "pass-started");
  const times = starts.map(({ at: start }, index) => {
    const next = starts[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    const end = entries.findLast(({ kind, at }) => ends.includes(kind) && at >= start && at < next);
    return between(start, end?.at ?? start);
  });
  return milliseconds(times.reduce((sum, time) => sum + time, 0));
}
