import type { PodUid } from "../base/ids.ts";
import { sumOf } from "./node-info.ts";
import { tryObstacle } from "./obstacle.ts";
import type { NodeRoom, ReschedulablePod } from "./reschedulable-pod.ts";
import { addTo, plus, type Resources, shortOf } from "./resources.ts";

/** The place of a pod's replacement on the nodes that stay. */
export type Placement =
  | { readonly kind: "place" }
  /** No node would take it; how many nodes each reason rules out. */
  | { readonly kind: "nowhere"; readonly reasons: Reasons }
  /** Each node that would take it may, but what is free on all of them is not enough for all who need it. */
  | { readonly kind: "crowded"; readonly nodes: number; readonly short: readonly string[] };

/** The number of nodes that each reason rules out, for people. */
export type Reasons = Readonly<Record<string, number>>;

/**
 * Finds places on some nodes, by what the nodes have free and by the scheduler's rules that concern one pod and one node.
 *
 * A pod without a place by these rules has none by the scheduler's. They do not tell how pods fit together on one node, so a
 * pod that has a place here may still find none.
 */
export class Places {
  readonly #rooms: readonly NodeRoom[];
  /** Pods of a workload demand the same. */
  readonly #suitable = new Map<string, Suited>();
  readonly #distinct = new Map<string, Suited>();
  /** The work for the pods of each namespace. */
  readonly #work = new Map<string, number>();
  readonly #anywhere: Suited;

  constructor(rooms: readonly NodeRoom[]) {
    this.#rooms = rooms;
    this.#anywhere = { rooms, reasons: {} };
  }

  /** The nodes that would take a pod if they had room. */
  suitable(reschedulablePod: ReschedulablePod): Suited {
    const { tolerations, namespace } = reschedulablePod.pod;
    const key = JSON.stringify([tolerations, reschedulablePod.demands]);
    const known = this.#suitable.get(key);
    if (known !== undefined) return known;
    if (this.#isTooMuch(namespace)) return this.#anywhere;
    this.#add(namespace, key.length * this.#rooms.length);
    const found = this.#shared(suitedTo(reschedulablePod, this.#rooms), namespace);
    this.#suitable.set(key, found);
    return found;
  }

  #isTooMuch(namespace: string): boolean {
    return (this.#work.get(namespace) ?? 0) > mostWork;
  }

  #add(namespace: string, work: number): void {
    this.#work.set(namespace, (this.#work.get(namespace) ?? 0) + work);
  }

  /** The same for all pods that the same nodes would take: others may have each of their pods demand something else. */
  #shared(suited: Suited, namespace: string): Suited {
    const rooms = new Set(suited.rooms);
    const bits = this.#rooms.map((room) => (rooms.has(room) ? "1" : "0")).join("");
    const key = `${bits} ${JSON.stringify(suited.reasons)}`;
    const shared = this.#distinct.get(key);
    if (shared !== undefined) return shared;
    this.#add(namespace, workOfSet);
    this.#distinct.set(key, suited);
    return suited;
  }

  /** Places the pods of a group, each by itself. */
  #alone({ reschedulablePods, ...where }: PodGroup): PodPlacements {
    const known = new Map<string, Placement>();
    return reschedulablePods.map(({ pod: { uid, namespace }, requests }) => {
      const key = JSON.stringify(requests);
      const found = known.get(key);
      if (found !== undefined) return [uid, found];
      if (where.rooms.length > 0 && this.#isTooMuch(namespace)) return [uid, { kind: "place" }];
      const placement = placedAlone(requests, where);
      if (placement.kind === "nowhere")
        this.#add(namespace, workOfWords * key.length * where.rooms.length);
      known.set(key, placement);
      return [uid, placement];
    });
  }

  /** Places the replacements of these pods, all of which leave together with these nodes. */
  of(
    pods: readonly ReschedulablePod[],
    leaving: ReadonlySet<string>,
  ): ReadonlyMap<PodUid, Placement> {
    const groups = [...Map.groupBy(pods, (pod) => this.suitable(pod))].map(
      ([{ rooms, reasons }, reschedulablePods]): PodGroup => ({
        rooms: rooms.filter(({ node }) => !leaving.has(node.name)),
        reasons,
        reschedulablePods,
      }),
    );
    const alone = groups.flatMap((group) => this.#alone(group));
    return new Map([
      ...alone,
      ...leftOver(
        groups.filter(
          ({ rooms, reasons }) => rooms.length > 0 && reasons !== this.#anywhere.reasons,
        ),
      ),
      ...nowhere(alone),
    ]);
  }
}

// Somebody may have each pod demand and request something else, which takes all others' time: some nanoseconds for each letter
// of a demand and each node, more for the reasons why requests fit nowhere, and much for each further set of nodes. A namespace
// with more work than a second or two has its further pods placed anywhere.
const mostWork = 250_000_000;
const [workOfWords, workOfSet] = [8, 1_000_000];

/** The nodes that would take a pod if they had room, and how many nodes each reason rules out. */
export interface Suited {
  readonly rooms: readonly NodeRoom[];
  readonly reasons: Reasons;
}

/** Pods that may go to the same nodes. */
interface PodGroup extends Suited {
  readonly reschedulablePods: readonly ReschedulablePod[];
}

type PodPlacements = readonly (readonly [PodUid, Placement])[];

const nowhere = (placed: PodPlacements): PodPlacements =>
  placed.filter(([, { kind }]) => kind === "nowhere");

function suitedTo(reschedulablePod: ReschedulablePod, all: readonly NodeRoom[]): Suited {
  const judged = all.map((room) => ({ room, obstacle: tryObstacle(reschedulablePod, room.node) }));
  return {
    rooms: judged.filter(({ obstacle }) => obstacle === undefined).map(({ room }) => room),
    reasons: tallied(judged.flatMap(({ obstacle }) => obstacle ?? [])),
  };
}

function placedAlone(requests: Resources, { rooms, reasons }: Suited): Placement {
  if (rooms.some(({ free }) => shortOf(requests, free).length === 0)) return { kind: "place" };
  const short = rooms.map(({ free }) => `too little ${shortOf(requests, free).join(" and ")}`);
  return { kind: "nowhere", reasons: { ...reasons, ...tallied(short) } };
}

function tallied(words: readonly string[]): Reasons {
  const groups = Object.groupBy(words, (word) => word);
  return Object.fromEntries(Object.entries(groups).map(([word, all = []]) => [word, all.length]));
}

/** Those for whom nothing is left, where pods that may go to the same few nodes ask for more than is free on all of them. */
function leftOver(groups: readonly PodGroup[]): ReadonlyMap<PodUid, Placement> {
  const placements = new Map<PodUid, Placement>();
  const boundTo = bindings(groups);
  const sums = new Map(groups.map((group) => [group, sumOf(group.reschedulablePods)]));
  const sized = groups
    .flatMap((group) => group.reschedulablePods.map((one) => ({ group, one, size: sizeOf(one) })))
    .toSorted((a, b) => a.size - b.size);
  for (const { rooms } of groups) {
    const bound = boundTo(rooms);
    const asked = sumOf([...bound].map((one) => ({ requests: sums.get(one) ?? {} })));
    const free = freeUpTo(asked, rooms);
    if (shortOf(asked, free).length === 0) continue;
    const shortAfter = shortages(free);
    for (const { one } of sized.filter((sizedPod) => bound.has(sizedPod.group))) {
      const short = shortAfter(one.requests);
      if (short.length > 0)
        placements.set(one.pod.uid, { kind: "crowded", nodes: rooms.length, short });
    }
  }
  return placements;
}

/** Says of one pod after the other what is short for all up to it; what is short stays so, whatever else is asked for. */
function shortages(free: Resources): (requests: Resources) => readonly string[] {
  const asked = new Map<string, number>();
  let short: readonly string[] = [];
  return (requests) => {
    addTo(asked, requests);
    for (const name of Object.keys(requests))
      if ((asked.get(name) ?? 0) > (free[name] ?? 0) && !short.includes(name))
        short = [...short, name];
    return short;
  };
}

const units: Resources = { cpu: 1000, memory: 2 ** 32, "ephemeral-storage": 2 ** 36 };

/** The size of a pod, whatever is free: small pods find a place before large ones. */
const sizeOf = ({ requests }: ReschedulablePod): number =>
  Object.entries(requests).reduce((sum, [name, amount]) => sum + amount / (units[name] ?? 1), 0);

/**
 * Finds the groups that may go to no node besides some. Somebody may have each pod demand other nodes, so each set of nodes
 * is compared with each: as bits.
 */
function bindings(
  groups: readonly PodGroup[],
): (rooms: readonly NodeRoom[]) => ReadonlySet<PodGroup> {
  const places = new Map<NodeRoom, number>();
  for (const { rooms } of groups)
    for (const room of rooms) if (!places.has(room)) places.set(room, places.size);
  const bitsOf = (rooms: readonly NodeRoom[]): Uint32Array => {
    const bits = new Uint32Array(Math.ceil(places.size / wordSize));
    for (const room of rooms) {
      const place = places.get(room) ?? 0;
      const word = Math.floor(place / wordSize);
      bits[word] = (bits[word] ?? 0) | (1 << (place % wordSize));
    }
    return bits;
  };
  const all = groups.map((group) => ({ group, bits: bitsOf(group.rooms) }));
  return (rooms) => {
    const allowed = bitsOf(rooms);
    return new Set(all.filter(({ bits }) => isWithin(bits, allowed)).map(({ group }) => group));
  };
}

const wordSize = 32;

const isWithin = (bits: Uint32Array, allowed: Uint32Array): boolean =>
  bits.every((word, at) => (word & ~(allowed[at] ?? 0)) === 0);

/** The free resources of these nodes, added up only until they cover the need. */
function freeUpTo(asked: Resources, rooms: readonly NodeRoom[]): Resources {
  let free: Resources = {};
  for (const room of rooms) {
    if (shortOf(asked, free).length === 0) return free;
    free = plus(free, room.free);
  }
  return free;
}
