import { isDeepStrictEqual } from "node:util";
import { type Duration, type Instant, minutes } from "../../lambda/base/time.ts";
import type { Cancel, Timeline } from "../timeline.ts";
import { type Change, ChangeLog } from "./change-log.ts";
import { withFieldWriters } from "./field-writers.ts";
import { frozenCopy, type JsonObject } from "./json.ts";
import { type Draft, isHeld, type KubeObject, terminating } from "./kube-object.ts";
import { wireTime } from "./kube-time.ts";
import type { Random } from "./random.ts";
import { alreadyExists, notFound } from "./refusals.ts";
import { apiVersion, type Ref, type Resource, refTo } from "./resource.ts";

// Controllers write through no API here.
const controllers = "kube-controller-manager";

const keyOf = ({ namespace, name }: { readonly namespace?: string; readonly name: string }) =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** Stores the cluster's objects, one version counter for all of them, and the log of changes. */
export class ObjectStore {
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #objects = new Map<Resource, Map<string, KubeObject>>();
  /** The sorted objects of each resource, kept until the resource changes. */
  readonly #sorted = new Map<Resource, readonly KubeObject[]>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly log: ChangeLog;
  #revision = 1;

  constructor(timeline: Timeline, random: Random, history: Duration = minutes(5)) {
    this.#timeline = timeline;
    this.#random = random;
    this.log = new ChangeLog(timeline, history);
  }

  /** The version of the last write. */
  get revision(): number {
    return this.#revision;
  }

  now(): Instant {
    return this.#timeline.now();
  }

  tryGet<T extends KubeObject>(ref: Ref<T>): T | undefined {
    return this.#table(ref.resource).get(keyOf(ref));
  }

  get<T extends KubeObject>(ref: Ref<T>): T {
    const found = this.tryGet(ref);
    if (found === undefined) throw notFound(ref.resource, ref.name);
    return found;
  }

  /** All objects of a resource, or of one namespace, in the order of their keys. */
  list<T extends KubeObject>(resource: Resource<T>, namespace?: string): readonly T[] {
    const all = this.#all(resource);
    if (namespace === undefined) return all;
    return all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** The objects at an earlier version, which must still be in the log. */
  listAt(resource: Resource, revision: number): readonly KubeObject[] {
    const past = new Map(this.#table(resource));
    for (const { before, after, resource: changed } of this.log.after(revision).toReversed()) {
      if (changed !== resource) continue;
      const name = keyOf((before ?? after ?? { metadata: { name: "" } }).metadata);
      if (before === undefined) past.delete(name);
      else past.set(name, before);
    }
    return byKey(past);
  }

  /** Builds the object that a draft describes, without storing it or giving it a version. */
  #draft<T extends KubeObject>(resource: Resource<T>, asked: Draft<T>): T {
    const { generateName, uid, ...given } = asked.metadata;
    const name = given.name || this.freeName(resource, generateName ?? "", given.namespace);
    const metadata = {
      name,
      ...(generateName ? { generateName } : {}),
      ...(resource.namespaced ? { namespace: given.namespace } : {}),
      uid: uid ?? this.#random.uuid(),
      ...(resource.generation ? { generation: 1 } : {}),
      creationTimestamp: wireTime(this.#timeline.now()),
      ...given,
    };
    const complete = resource.complete?.({ ...asked, metadata }) ?? { ...asked, metadata };
    const type = { kind: resource.kind, apiVersion: apiVersion(resource) };
    // The draft is complete now, whatever its type says.
    return frozenCopy({ ...complete, ...type }) as unknown as T;
  }

  /** A name that no other object has; the real API server draws again too. */
  freeName(resource: Resource, beginning: string, namespace: string | undefined): string {
    for (;;) {
      const name = `${beginning}${this.#random.suffix()}`;
      if (this.tryGet({ resource, namespace, name }) === undefined) return name;
    }
  }

  create<T extends KubeObject>(resource: Resource<T>, asked: Draft<T>): T {
    const made = this.#draft(resource, asked);
    if (this.tryGet(refTo(resource, made)) !== undefined)
      throw alreadyExists(resource, made.metadata.name);
    return this.#commit(resource, undefined, made);
  }

  /** The object after a change, without storing it; a changed spec raises the generation. */
  #changed<T extends KubeObject>(ref: Ref<T>, change: (object: T) => T, manager: string): T {
    const before = this.get(ref);
    const { resource } = ref;
    const asked = change(before);
    const tidied = resource.tidy?.(asked) ?? asked;
    const after = resource.fieldWriters ? this.#withWriters(before, tidied, manager) : tidied;
    const spec = (object: T) => resource.counted?.(object) ?? ("spec" in object && object.spec);
    if (!resource.generation || isDeepStrictEqual(spec(before), spec(after))) return after;
    const generation = (before.metadata.generation ?? 0) + 1;
    return { ...after, metadata: { ...after.metadata, generation } };
  }

  #withWriters<T extends KubeObject>(before: T, after: T, manager: string): T {
    const change = { before: before as unknown as JsonObject, manager, at: this.now() };
    return withFieldWriters(after as unknown as JsonObject, change) as unknown as T;
  }

  /** Changes an object; writes nothing if the object stays the same. */
  mark<T extends KubeObject>(ref: Ref<T>, change: (object: T) => T): T {
    return this.#put(ref, this.#changed(ref, change, controllers));
  }

  /** Changes an object in a manager's name, and removes it if it is being deleted and nothing holds it any more. */
  update<T extends KubeObject>(ref: Ref<T>, change: (object: T) => T, manager = controllers): T {
    const after = this.#changed(ref, change, manager);
    if (!isReleased(after)) return this.#put(ref, after);
    this.remove(ref);
    return after;
  }

  /** Removes an object at once, even if finalizers hold it. */
  remove<T extends KubeObject>(ref: Ref<T>): T {
    const before = this.get(ref);
    this.#table(ref.resource).delete(keyOf(ref));
    this.#publish({ revision: ++this.#revision, resource: ref.resource, before, after: undefined });
    return before;
  }

  /** Calls the listener with every write, in order, as it happens. */
  subscribe(listener: (change: Change) => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops the whole log up to now. */
  compact(): void {
    this.log.compact(this.#revision);
  }

  #put<T extends KubeObject>(ref: Ref<T>, after: T): T {
    const before = this.get(ref);
    return isDeepStrictEqual(before, after) ? before : this.#commit(ref.resource, before, after);
  }

  #commit<T extends KubeObject>(resource: Resource<T>, before: T | undefined, after: T): T {
    this.#revision += 1;
    const metadata = { ...after.metadata, resourceVersion: String(this.#revision) };
    const kept = frozenCopy({ ...after, metadata });
    this.#table(resource).set(keyOf(metadata), kept);
    this.#publish({ revision: this.#revision, resource, before, after: kept });
    return kept;
  }

  #publish<T extends KubeObject>(change: Change<T>): void {
    const event = change as unknown as Change;
    this.#sorted.delete(event.resource);
    this.log.add(event);
    for (const listener of [...this.#listeners]) listener(event);
  }

  #all<T extends KubeObject>(resource: Resource<T>): readonly T[] {
    const key = resource as unknown as Resource;
    const sorted = this.#sorted.get(key) ?? byKey(this.#table(key));
    this.#sorted.set(key, sorted);
    return sorted as unknown as readonly T[];
  }

  #table<T extends KubeObject>(resource: Resource<T>): Map<string, T> {
    const key = resource as unknown as Resource;
    const table = this.#objects.get(key) ?? new Map<string, KubeObject>();
    this.#objects.set(key, table);
    return table as unknown as Map<string, T>;
  }
}

const byKey = <T>(objects: ReadonlyMap<string, T>): readonly T[] =>
  [...objects].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);

/** Whether an object is being deleted and nothing holds it any more. */
const isReleased = (object: KubeObject): boolean =>
  terminating(object) && !isHeld(object) && !object.metadata.deletionGracePeriodSeconds;
