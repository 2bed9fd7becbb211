import { type Instant, later, seconds } from "../../lambda/base/time.ts";
import { isHeld, type KubeObject, terminating, withCondition } from "./kube-object.ts";
import { readTime, wireTime } from "./kube-time.ts";
import type { ObjectStore } from "./object-store.ts";
import { type Pod, podFinished } from "./pod.ts";
import { preconditionFailed } from "./refusals.ts";
import { type Ref, type Resource, refTo } from "./resource.ts";

/** The options of a deletion. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

/** The metadata that marks an object as being deleted. */
interface DeletionMark {
  readonly deletionTimestamp: string;
  readonly deletionGracePeriodSeconds?: number;
}

/** Whether the request must not write anything. */
export const isDryRun = ({ dryRun }: DeleteOptions): boolean => (dryRun?.length ?? 0) > 0;

/** Throws if the object is not the one that the preconditions name. */
export function assertPreconditions(
  resource: Resource,
  { metadata }: KubeObject,
  { preconditions = {} }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions;
  if (uid && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw preconditionFailed(resource, metadata.name, why);
  }
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw preconditionFailed(resource, metadata.name, why);
  }
}

/** The grace period of a pod's first deletion. */
function firstGrace(pod: Pod, asked: number | undefined): number {
  if (!pod.spec.nodeName || podFinished(pod)) return 0;
  return asked ?? pod.spec.terminationGracePeriodSeconds ?? 0;
}

/** A terminating pod's grace can only shrink; `undefined` if the request changes nothing. */
function shorterMark(pod: Pod, asked: number | undefined, now: Instant): DeletionMark | undefined {
  const { deletionTimestamp = "", deletionGracePeriodSeconds: granted = 0 } = pod.metadata;
  if (asked === undefined || asked >= granted) return undefined;
  const end = later(readTime(deletionTimestamp), seconds(asked - granted));
  if (end >= now) return { deletionTimestamp: wireTime(end), deletionGracePeriodSeconds: asked };
  return { deletionTimestamp: wireTime(now), deletionGracePeriodSeconds: Math.min(asked, 1) };
}

function markOf(pod: Pod, asked: number | undefined, now: Instant): DeletionMark | undefined {
  if (terminating(pod)) return shorterMark(pod, asked, now);
  const grace = firstGrace(pod, asked);
  const end = wireTime(later(now, seconds(grace)));
  return { deletionTimestamp: end, deletionGracePeriodSeconds: grace };
}

/** Adds a mark to an object; the first mark raises the generation. */
function marked<T extends KubeObject>(object: T, mark: DeletionMark): T {
  const { generation } = object.metadata;
  const counted = generation && !terminating(object) ? { generation: generation + 1 } : {};
  return { ...object, metadata: { ...object.metadata, ...counted, ...mark } };
}

/** The result of a deletion: the last state of the object, and whether it is gone. */
export interface Deletion<T extends KubeObject> {
  readonly object: T;
  readonly removed: boolean;
}

/** Objects other than pods go at once, or wait for their finalizers. */
function plainMark(object: KubeObject, now: Instant): DeletionMark | undefined {
  if (terminating(object) || !isHeld(object)) return undefined;
  return { deletionTimestamp: wireTime(now), deletionGracePeriodSeconds: 0 };
}

/** Deletes as the API server does: pods get their grace, finalizers hold any object. */
export class Deleter {
  readonly #store: ObjectStore;
  readonly #now: () => Instant;

  constructor(store: ObjectStore, now: () => Instant) {
    this.#store = store;
    this.#now = now;
  }

  delete<T extends KubeObject>(ref: Ref<T>, options: DeleteOptions = {}): Deletion<T> {
    const object = this.#store.get(ref);
    assertPreconditions(ref.resource, object, options);
    const mark = this.#mark(object, options);
    const result = mark === undefined ? object : marked(object, mark);
    const goes = !isHeld(result) && !result.metadata.deletionGracePeriodSeconds;
    if (isDryRun(options)) return { object: result, removed: goes };
    const written = mark === undefined ? object : this.#store.mark(ref, () => result);
    if (goes) this.#store.remove(ref);
    return { object: written, removed: goes };
  }

  /** Deletes the object if it still exists with the same UID. */
  tryDelete<T extends KubeObject>(resource: Resource<T>, object: T, grace?: number): void {
    const ref = refTo(resource, object);
    if (this.#store.tryGet(ref)?.metadata.uid !== object.metadata.uid) return;
    this.delete(ref, { gracePeriodSeconds: grace });
  }

  #mark(object: KubeObject, { gracePeriodSeconds }: DeleteOptions): DeletionMark | undefined {
    const now = this.#now();
    return isPod(object) ? markOf(object, gracePeriodSeconds, now) : plainMark(object, now);
  }
}

const isPod = (object: KubeObject): object is Pod => object.kind === "Pod";

/** Adds the condition that says why a pod is about to be deleted. */
export function disrupted(
  pod: Pod,
  why: { readonly reason: string; readonly message: string },
  now: Instant,
): Pod {
  const conditions = withCondition(pod.status.conditions, {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: wireTime(now),
    ...why,
  });
  return { ...pod, status: { ...pod.status, conditions } };
}
