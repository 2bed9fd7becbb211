import {
  earliest,
  hours,
  type Instant,
  later,
  longest,
  milliseconds,
  minutes,
  spoken,
  timestamp,
} from "../base/time.ts";
import type { Bookmark, Soak } from "./bookmark.ts";
import type { Issue } from "./issues.ts";
import { awaitNodes } from "./new-nodes.ts";
import type { Candidate } from "./old-instances.ts";
import type { StepOf, UpgradeScene, UpgradeStep } from "./scene.ts";
import { isInService, type SortedScene } from "./sorted-instances.ts";
import { tryAwaitWindow, wait } from "./waits.ts";

// Each look asks the API server once for each new node.
const watchedEvery = minutes(1);

/**
 * The step of the soak between two batches; `undefined` if it does not hold the next one. If a new node is no longer valid,
 * the soak begins again once all are, but not for ever. Other obstacles, such as old nodes or pods that anybody may create,
 * hold the next batch only after the soak. A closed maintenance window does not stop the soak, which terminates nothing.
 */
export function trySoak(
  obstacle: UpgradeStep | undefined,
  scene: SortedScene,
): UpgradeStep | undefined {
  const { now, bookmark } = scene;
  const { soak } = bookmark;
  if (soak === "owed") return owedStep(obstacle, scene);
  const ends = trySoakEnd(bookmark);
  if (soak === "none" || ends === undefined || ends <= now) return undefined;
  if (namesOf(lostSince(soak, scene)).length > 0) return { kind: "soak", soak: "owed" };
  const next = later(now, longest(bookmark.options.lookEvery, watchedEvery));
  return { kind: "watch", until: earliest(ends, next) };
}

/** Begins the soak once all new nodes are valid and nothing else holds the upgrade. */
function owedStep(obstacle: UpgradeStep | undefined, scene: SortedScene): UpgradeStep | undefined {
  const lost = namesOf(lostSince(later(scene.now, milliseconds(-joinsWithin)), scene));
  if (lost.length > 0 && isOverdue(scene))
    return { kind: "fail", issue: unsteadiness(lost, scene) };
  const invalid = namesOf(invalidIn(scene));
  if (obstacle !== undefined) return undefined;
  if (invalid.length === 0) return { kind: "soak", soak: scene.now };
  const reason = `${invalid.join(", ")}: new, and not valid or not ready`;
  return tryAwaitWindow(scene) ?? awaitNodes(reason, scene);
}

// One kubelet may become ready and not ready for ever.
const [mostSoaks, leastMore] = [3, hours(1)];
// The group may grow meanwhile, and a new node has half an hour to become valid.
const joinsWithin = minutes(30);

/** True if soaks have begun again and again for so long that an invalid new node fails the upgrade. */
function isOverdue({ now, bookmark: { watched, options } }: UpgradeScene): boolean {
  if (watched === "none" || options.soak === "none") return false;
  const { soak } = options;
  const most = longest(milliseconds(mostSoaks * soak), milliseconds(soak + leastMore));
  return later(watched, most) <= now;
}

const unsteadiness = (lost: readonly string[], scene: UpgradeScene): Issue => ({
  code: "NodeCreationFailure",
  message: `${lost.join(", ")}: new, and not valid or not ready; ${unsteady(scene)}`,
});

function unsteady({ bookmark: { watched, options } }: UpgradeScene): string {
  const since = watched === "none" ? "" : ` since ${timestamp(watched)}`;
  const soak = options.soak === "none" ? "" : ` for ${spoken(options.soak)}`;
  return `the new nodes have never stayed valid${soak}${since}`;
}

/** The new nodes, or instances without one, that are in service and not valid. */
const invalidIn = ({ fresh, valid }: SortedScene): readonly Candidate[] =>
  fresh.filter((one) => isInService(one) && !valid.includes(one));

/** Those of them that had joined by then. */
const lostSince = (at: Instant, scene: SortedScene): readonly Candidate[] =>
  invalidIn(scene).filter(({ node }) => node !== "absent" && node.created <= at);

const namesOf = (candidates: readonly Candidate[]): readonly string[] =>
  candidates.map(({ instance, node }) => (node === "absent" ? instance.id : node.name));

/** The end of the soak under way; `undefined` if none has begun. */
export const trySoakEnd = ({
  soak,
  options,
}: Pick<Bookmark, "options" | "soak">): Instant | undefined =>
  typeof soak === "number" && options.soak !== "none" ? later(soak, options.soak) : undefined;

/** The change of a bookmark whose batch ends, so that its new nodes soak. */
export const soakOwed = ({
  bookmark: { options },
}: UpgradeScene): Partial<Pick<Bookmark, "soak" | "watched">> =>
  options.soak === "none" ? {} : { soak: "owed", watched: "none" };

/** The change of a bookmark whose soak begins, or has to begin again. */
export const soaked = (
  soak: Soak,
  { bookmark: { watched } }: UpgradeScene,
): Pick<Bookmark, "soak" | "watched"> => ({
  soak,
  watched: watched === "none" && typeof soak === "number" ? soak : watched,
});

/** Waits between two looks of a soak. After the last one, new nodes and load balancers have their whole time again. */
export function awaitSoak(scene: UpgradeScene, until: Instant): StepOf<"wait"> {
  const { soak, watched } = scene.bookmark;
  const ends = trySoakEnd(scene.bookmark) ?? until;
  const since = until < ends ? "as it is" : "restarts";
  const reason = `new nodes are watched until ${timestamp(ends)}, before the next batch`;
  if (watched === "none" || soak === watched) return wait(reason, until, { since });
  return wait(`${reason}: ${unsteady(scene)}`, until, { since, shownIn: "in the tags" });
}
