import { earliest, type Instant, later, longest, minutes, timestamp } from "../base/time.ts";
import type { Bookmark } from "./bookmark.ts";
import { awaitNodes } from "./new-nodes.ts";
import type { StepOf, UpgradeScene, UpgradeStep } from "./scene.ts";
import { isInService, type SortedScene } from "./sorted-instances.ts";
import { tryAwaitWindow, wait } from "./waits.ts";

// Each look asks the API server once for each new node.
const watchedEvery = minutes(1);

/**
 * The step of the soak between two batches; `undefined` if it does not hold the next one. It lasts while all new nodes stay
 * valid and nothing else holds the upgrade; otherwise it begins again once that is so. A closed maintenance window does not
 * stop it, because nothing goes during a soak.
 */
export function trySoak(
  obstacle: UpgradeStep | undefined,
  scene: SortedScene,
): UpgradeStep | undefined {
  const { now, bookmark } = scene;
  if (bookmark.soak === "owed") return owedStep(obstacle, scene);
  const ends = trySoakEnd(bookmark);
  if (ends === undefined || ends <= now) return undefined;
  const isClear = obstacle === undefined && invalidIn(scene).length === 0;
  const next = later(now, longest(bookmark.options.lookEvery, watchedEvery));
  return isClear ? { kind: "watch", until: earliest(ends, next) } : { kind: "soak", soak: "owed" };
}

/** Begins the soak once all new nodes are valid and nothing else holds the upgrade. */
function owedStep(obstacle: UpgradeStep | undefined, scene: SortedScene): UpgradeStep | undefined {
  if (obstacle !== undefined) return undefined;
  const invalid = invalidIn(scene);
  if (invalid.length === 0) return { kind: "soak", soak: scene.now };
  const reason = `${invalid.join(", ")}: new, and not valid or not ready`;
  return tryAwaitWindow(scene) ?? awaitNodes(reason, scene);
}

/** The new nodes, or instances without one, that are in service and not valid. */
const invalidIn = ({ fresh, valid }: SortedScene): readonly string[] =>
  fresh
    .filter((one) => isInService(one) && !valid.includes(one))
    .map(({ instance, node }) => (node === "absent" ? instance.id : node.name));

/** When the soak that lasts is over; `undefined` if none has begun. */
export const trySoakEnd = ({
  soak,
  options,
}: Pick<Bookmark, "options" | "soak">): Instant | undefined =>
  typeof soak === "number" && options.soak !== "none" ? later(soak, options.soak) : undefined;

/** The change of a bookmark whose batch ends, so that its new nodes soak. */
export const soakOwed = ({
  bookmark: { options },
}: UpgradeScene): Partial<Pick<Bookmark, "soak">> =>
  options.soak === "none" ? {} : { soak: "owed" };

/** Waits between two looks of a soak. After the last one, new nodes and load balancers have their whole time again. */
export function awaitSoak({ bookmark }: UpgradeScene, until: Instant): StepOf<"wait"> {
  const ends = trySoakEnd(bookmark) ?? until;
  const reason = `new nodes are watched until ${timestamp(ends)}, before the next batch`;
  return wait(reason, until, { since: until < ends ? "as it is" : "restarts" });
}
