import { type Instant, later, minutes, seconds } from "../../lambda/base/time.ts";
import { terminating } from "../../sandbox/kubernetes/kube-object.ts";
import type { Pod } from "../../sandbox/kubernetes/pod.ts";
import { attachmentName } from "../../sandbox/kubernetes/volume-drafts.ts";
import { volumeAttachments } from "../../sandbox/kubernetes/volume-resources.ts";
import type { FunctionRequest } from "./fault-plan.ts";
import { mayBePutBack, titleOf } from "./pod-facts.ts";
import { crossing, isSilent, type WitnessedDrain } from "./witnessed-drain.ts";
import type { WitnessedDrains } from "./witnessed-drains.ts";
import { instanceOf } from "./world-options.ts";

const patience = minutes(3);

/**
 * Lists the volumes of departed pods that are still attached, unless the drain has waited long
 * enough.
 */
function volumesOf(
  { world }: WitnessedDrains,
  drain: WitnessedDrain,
  at: Instant,
): readonly string[] {
  if (isSilent(drain)) return [];
  return world.departures
    .filter((gone) => at < Math.min(gone.at, drain.deadline) + patience && at > gone.at + crossing)
    .map(({ name }) => `pv-${name}`)
    .filter((volume) => {
      const name = attachmentName(volume, drain.node);
      return world.cluster.store.tryGet({ resource: volumeAttachments, name }) !== undefined;
    })
    .map((volume) => `${volume} was still attached when the hook was completed`);
}

const settle = seconds(5);
// The function repeats a request whose answer was lost, even if new pods have come to the node
// since.
const repeated = seconds(30);

interface Moment {
  readonly at: Instant;
  readonly course: "smooth" | "troubled";
}

/** The rules for every request to complete a hook. */
export class ReleaseRules {
  readonly #drains: WitnessedDrains;
  readonly #asked = new Map<number, Instant>();

  constructor(drains: WitnessedDrains) {
    this.#drains = drains;
  }

  /**
   * Lists the rules that the request breaks; `course` says whether anything has gone wrong so far.
   */
  judge({ body, at }: FunctionRequest, course: Moment["course"]): readonly string[] {
    const instance = new URLSearchParams(body).get("InstanceId");
    const index = this.#drains.indexOf((at) => instanceOf(at) === instance);
    const drain = this.#drains.tryOf(index);
    const last = this.#asked.get(index);
    this.#asked.set(index, at);
    if (drain?.object === undefined || (last !== undefined && at - last < repeated)) return [];
    const isExpired = at >= drain.deadline && course === "troubled";
    return [
      ...this.#ofPods(drain, { at, course }),
      ...(isExpired ? [] : volumesOf(this.#drains, drain, at)),
    ];
  }

  #ofPods(drain: WitnessedDrain, { at, course }: Moment): readonly string[] {
    if (at >= drain.deadline) return course === "smooth" ? this.#unforced(drain) : [];
    return [...this.#early(drain), ...this.#unsettled(drain, at)];
  }

  #unsettled(drain: WitnessedDrain, at: Instant): readonly string[] {
    if (at >= drain.mark.set + settle) return [];
    return [`${drain.node} was believed empty before its mark had settled`];
  }

  #early(drain: WitnessedDrain): readonly string[] {
    return this.#drains
      .holding(drain)
      .map((pod) => `${titleOf(pod)} held its node when the hook was completed`);
  }

  /** The pods that were there in time and that nobody evicted or deleted. */
  #unforced(drain: WitnessedDrain): readonly string[] {
    if (drain.force === "never") return [];
    return this.#drains
      .holding(drain)
      .filter((pod) => !terminating(pod) && this.#wasThere(pod, drain))
      .map((pod) => `${titleOf(pod)} was not told to go in time for the deadline`);
  }

  /**
   * Whether the drain had to evict the pod; it spares pods put back after the mark until it marks
   * the node again.
   */
  #wasThere(pod: Pod, drain: WitnessedDrain): boolean {
    const inTime = later(drain.deadline, seconds(-3));
    const { bound } = this.#drains.history.tryPod(pod.metadata.uid) ?? {};
    const wasSpared = mayBePutBack(pod) && drain.mark.since >= inTime;
    return bound !== undefined && bound < inTime && !wasSpared;
  }
}
