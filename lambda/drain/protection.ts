import { type Instant, later, tryDurationOf } from "../base/time.ts";
import type { DrainSettings, Protection, Stop } from "./drain-policy.ts";
import { isBare, type Pod } from "./pod.ts";

/** Our own annotation on a pod: `skip` or `wait-completed`. */
export const drainAnnotation = "eks-node-lifecycle/drain";

const doNotDisrupt = "karpenter.sh/do-not-disrupt";

const ownWish = ({ annotations }: Pod): string | undefined =>
  annotations[drainAnnotation]?.toLowerCase();

/** Whether the pod's owner wants the drain neither to evict it nor to wait for it. */
export const isSkipped = (pod: Pod): boolean => ownWish(pod) === "skip";

/** Whether the pod's owner says how the pod is drained. */
export const hasOwnWish = (pod: Pod): boolean =>
  ["skip", "wait-completed"].includes(ownWish(pod) ?? "");

/** Why the drain may not evict a pod before the deadline forces it; `undefined` when nothing protects the pod. */
export function tryProtection(
  pod: Pod,
  heeded: readonly Protection[],
  now: Instant,
): string | undefined {
  if (ownWish(pod) === "wait-completed") return `${drainAnnotation}: wait-completed`;
  for (const key of heeded) {
    const found = tryHeeded(pod, key, now);
    if (found !== undefined) return found;
  }
  return undefined;
}

const stops: Readonly<Record<Stop, { readonly why: string; isOn(pod: Pod): boolean }>> = {
  bare: {
    why: "DRAIN_STOP_ON: no controller would create it again",
    isOn: isBare,
  },
  "empty-dir": {
    why: "DRAIN_STOP_ON: the data of its emptyDir volumes would be lost",
    isOn: ({ localStorage }) => localStorage,
  },
};

/** The protection of a pod: an annotation, or a setting; `undefined` without one. */
export function tryProtectionOf(
  pod: Pod,
  { settings, now }: { readonly settings: Protections; readonly now: Instant },
): string | undefined {
  const annotation = tryProtection(pod, settings.protections, now);
  if (annotation !== undefined) return `its annotation ${annotation}`;
  const stop = settings.stopOn.find((kind) => stops[kind].isOn(pod));
  return stop === undefined ? undefined : stops[stop].why;
}

type Protections = Pick<DrainSettings, "protections" | "stopOn">;

function tryHeeded(pod: Pod, key: Protection, now: Instant): string | undefined {
  const value = pod.annotations[key];
  if (value === undefined) return undefined;
  const protects = key === doNotDisrupt ? mayNotDisrupt : mayNotEvict;
  return protects(value, pod, now) ? `${key}: ${value}` : undefined;
}

/** The times at which those protections of a pod end that the drain honours; a protection without an end has none. */
export function protectionEnds(pod: Pod, heeded: readonly Protection[]): readonly Instant[] {
  const value = heeded.includes(doNotDisrupt) ? pod.annotations[doNotDisrupt] : undefined;
  const live = value === undefined ? undefined : tryDurationOf(value);
  return live === undefined ? [] : [later(pod.started, live)];
}

// `true` protects for ever, a duration protects from the pod's start; no other value protects.
const mayNotDisrupt = (value: string, pod: Pod, now: Instant): boolean => {
  if (value === "true") return true;
  const live = tryDurationOf(value);
  return live !== undefined && live > 0 && now < later(pod.started, live);
};

const mayNotEvict = (value: string): boolean => value === "false" || value === "on-completion";

/** Says which annotations of a pod have a value that the drain does not understand, and so ignores. */
export function misreadAnnotations({ annotations }: Pod): readonly string[] {
  return readings.flatMap(({ key, expected, isRead }) => {
    const value = annotations[key];
    if (value === undefined || isRead(value)) return [];
    return [`its annotation ${key}: ${value} is not heeded, for it is not ${expected}`];
  });
}

const readings = [
  {
    key: drainAnnotation,
    expected: "skip or wait-completed",
    isRead: (value: string) => ["skip", "wait-completed"].includes(value.toLowerCase()),
  },
  {
    key: doNotDisrupt,
    expected: "true, false or a time such as 4h",
    isRead: (value: string) => ["true", "false"].includes(value) || (tryDurationOf(value) ?? 0) > 0,
  },
];
