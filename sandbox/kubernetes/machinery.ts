import type { Duration } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { Deleter } from "./deletion.ts";
import type { ObjectStore } from "./object-store.ts";
import type { PodsByNode } from "./pods-by-node.ts";
import type { Random } from "./random.ts";
import type { Resource } from "./resource.ts";
import { Wake } from "./wake.ts";

/** The parts that every controller needs. */
export interface Machinery {
  readonly timeline: Timeline;
  readonly store: ObjectStore;
  readonly deleter: Deleter;
  readonly random: Random;
  readonly placed: PodsByNode;
  /** How long a controller takes to notice a change. */
  readonly reaction: Duration;
}

/** Starts work, and repeats it soon after every change of the given resources. */
export function reconcile(
  { timeline, store, reaction }: Machinery,
  watched: readonly Resource[],
  work: () => void,
): Wake {
  const wake = new Wake(timeline, work);
  store.subscribe(({ resource }) => {
    if (watched.includes(resource)) wake.after(reaction);
  });
  return wake;
}
