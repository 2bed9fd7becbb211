import type { Pod } from "../pod/pod.ts";
import { type Instant, later, tryDurationOf } from "../time.ts";
import type { Protection } from "./drain-policy.ts";

/** Our own annotation on a pod: `skip` or `wait-completed`. */
export const drainAnnotation = "eks-node-lifecycle/drain";

const doNotDisrupt = "karpenter.sh/do-not-disrupt";

const ownWish = ({ annotations }: Pod): string | undefined =>
  annotations[drainAnnotation]?.toLowerCase();

/** Its owner has said that it is neither evicted nor waited for. */
export const isSkipped = (pod: Pod): boolean => ownWish(pod) === "skip";

/** Why a pod may not be evicted before the deadline forces it; `undefined` when nothing protects it. */
export function tryProtection(
  pod: Pod,
  heeded: readonly Protection[],
  now: Instant,
): string | undefined {
  if (ownWish(pod) === "wait-completed") return `${drainAnnotation}: wait-completed`;
  return heeded.map((key) => tryHeeded(pod, key, now)).find((found) => found !== undefined);
}

function tryHeeded(pod: Pod, key: Protection, now: Instant): string | undefined {
  const value = pod.annotations[key];
  if (value === undefined) return undefined;
  const protects = key === doNotDisrupt ? mayNotDisrupt : mayNotEvict;
  return protects(value, pod, now) ? `${key}: ${value}` : undefined;
}

/** When the heeded protections of a pod run out, those that do. */
export function protectionEnds(pod: Pod, heeded: readonly Protection[]): readonly Instant[] {
  const value = heeded.includes(doNotDisrupt) ? pod.annotations[doNotDisrupt] : undefined;
  const live = value === undefined ? undefined : tryDurationOf(value);
  return live === undefined ? [] : [later(pod.started, live)];
}

// Either for ever, or for a time from the pod's start; anything else is no protection.
const mayNotDisrupt = (value: string, pod: Pod, now: Instant): boolean => {
  if (value === "true") return true;
  const live = tryDurationOf(value);
  return live !== undefined && live > 0 && now < later(pod.started, live);
};

const mayNotEvict = (value: string): boolean => value === "false" || value === "on-completion";

/** The annotations by which a pod's owner has wished for something that nobody understands; they are not heeded. */
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
