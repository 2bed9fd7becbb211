import { type Instant, seconds } from "../../lambda/domain/time.ts";
import { nodes, pods } from "../../sandbox/cluster/core-resources.ts";
import { hasCondition, terminating } from "../../sandbox/cluster/kube-object.ts";
import { type Pod, podFinished } from "../../sandbox/cluster/pod.ts";
import type { FunctionRequest } from "./fate.ts";
import { nodeOf } from "./landscape.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { podsOn } from "./workloads.ts";

const unconcerned = /^(daemon|mirror|skipped|ended)-/;
const isCritical = ({ metadata }: Pod): boolean => metadata.name.startsWith("critical-");
const graceOf = ({ spec }: Pod): number => (spec.terminationGracePeriodSeconds ?? 30) * 1000;

/** Watches every request of the function from the world's side, and notes what must never happen. */
export class Witness {
  readonly complaints: string[] = [];
  readonly #world: VirtualWorld;
  readonly #deadline: Instant;
  /** From then on critical pods need not wait. */
  readonly #turn: number;
  /** Every pod there ever was, as it was last seen. */
  readonly #known = new Map<string, Pod>();
  readonly #first: ReadonlySet<string>;

  constructor(world: VirtualWorld, deadline: Instant) {
    this.#world = world;
    this.#deadline = deadline;
    const now = world.timeline.now();
    this.#turn = now + (deadline - now) * 0.75;
    this.#first = new Set(podsOn(world, 1).map(({ metadata }) => metadata.uid));
    for (const pod of world.cluster.store.list(pods)) this.#known.set(pod.metadata.uid, pod);
    world.cluster.store.subscribe(({ resource, after }) => {
      if (resource === pods && after !== undefined)
        this.#known.set(after.metadata.uid, after as Pod);
    });
  }

  /** Looks at the world at the moment of a request. */
  see({ what, at }: FunctionRequest): void {
    const [, name] = /^(?:create pods\/eviction|delete pods) (\S+)$/.exec(what) ?? [];
    if (name?.startsWith("critical-")) this.#judgeOrder(name, at);
    if (what.endsWith("CompleteLifecycleAction")) this.#judgeRelease(at);
  }

  /** Looks at the pods that were let go, by UID. */
  judge(granted: readonly string[]): void {
    for (const uid of granted) {
      const pod = this.#known.get(uid);
      if (pod?.spec.nodeName !== nodeOf(1)) this.#complain("evicted from another node", pod);
      if (unconcerned.test(pod?.metadata.name ?? "")) this.#complain("evicted at all", pod);
    }
  }

  /** A critical pod is asked to go: no ordinary one may be there, unless their share of the time or its own is up. */
  #judgeOrder(name: string, at: Instant): void {
    const pod = podsOn(this.#world, 1).find(({ metadata }) => metadata.name === name);
    if (pod === undefined || at >= Math.min(this.#turn, this.#deadline - graceOf(pod) + 1)) return;
    for (const other of this.#holding())
      if (!isCritical(other)) this.#complain(`there when ${name} was asked to go`, other);
  }

  /** The hook is completed: nothing may hold the node before the deadline. */
  #judgeRelease(at: Instant): void {
    const node = this.#world.cluster.store.tryGet({ resource: nodes, name: nodeOf(1) });
    if (node === undefined || at >= this.#deadline) return;
    for (const pod of this.#holding()) this.#complain("there when the hook was completed", pod);
  }

  /** The pods that were there from the start and still are, but for those that hold nothing. */
  #holding(): readonly Pod[] {
    return podsOn(this.#world, 1)
      .filter(({ metadata: { uid, name } }) => this.#first.has(uid) && !unconcerned.test(name))
      .filter((pod) => terminating(pod) || !podFinished(pod))
      .filter((pod) => !this.#isStuck(pod));
  }

  /** It should have ended long ago; on a node that is silent, a moment ago. */
  #isStuck({ metadata: { deletionTimestamp } }: Pod): boolean {
    if (deletionTimestamp === undefined) return false;
    const { cluster, timeline } = this.#world;
    const node = cluster.store.tryGet({ resource: nodes, name: nodeOf(1) });
    const silent = hasCondition(node?.status.conditions, "Ready", "Unknown");
    return timeline.now() > Date.parse(deletionTimestamp) + seconds(silent ? 1 : 60);
  }

  #complain(what: string, pod: Pod | undefined): void {
    this.complaints.push(`${pod?.metadata.name} was ${what}`);
  }
}
