import { earliest, later, minutes } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import { meaningOf } from "./issues.ts";
import { isValidated } from "./node-marks.ts";
import type { Candidate } from "./old-instances.ts";
import type { UpgradeScene, UpgradeStep } from "./scene.ts";
import { isShifted } from "./shifts.ts";
import { isInService, type SortedScene } from "./sorted-instances.ts";
import { invalidity, unreadiness } from "./validation.ts";
import { lookAgain, tryAwaitResumed } from "./waits.ts";

// Counts from the last change that the upgrade has made. The launch hook of a managed node group has the same limit.
const nodesWithin = minutes(30);

/** The step that admits new nodes which have become valid; `undefined` if there are none. */
export function tryAdmit(scene: SortedScene): UpgradeStep | undefined {
  const nodes = scene.fresh.flatMap((one) =>
    one.node !== "absent" && isWaiting(one, scene) && invalidityOf(one, scene) === ""
      ? [one.node]
      : [],
  );
  return nodes.length === 0 ? undefined : { kind: "admit", nodes };
}

const mostAsked = 20;

/** The new nodes that still need checks beyond their objects, a few at a time. */
export const askable = (scene: SortedScene): readonly MachineNode[] =>
  scene.fresh
    .flatMap((one) => (one.node !== "absent" && isWaiting(one, scene) ? [one.node] : []))
    .filter((node) => unreadiness(node, scene) === "")
    .slice(0, mostAsked);

const isWaiting = (candidate: Candidate, { bookmark }: UpgradeScene): boolean =>
  isInService(candidate) &&
  !(candidate.node !== "absent" && isValidated(candidate.node, bookmark.id));

/** Why a new instance does not count yet; empty if it does. */
function invalidityOf({ instance, node }: Candidate, scene: UpgradeScene): string {
  if (node === "absent") return `no node of ${instance.id} has registered`;
  return invalidity(node, scene.checks.get(node.name), scene);
}

/** The admitted new nodes that have become invalid again. */
export const doubtedIn = (scene: SortedScene): readonly MachineNode[] =>
  scene.fresh.flatMap((one) =>
    one.node !== "absent" &&
    isValidated(one.node, scene.bookmark.id) &&
    invalidityOf(one, scene) !== ""
      ? [one.node]
      : [],
  );

/** Waits for new nodes. Fails if they cannot come, or have not come in time. */
export function awaitNodes(reason: string, scene: SortedScene): UpgradeStep {
  const { now, bookmark, failures } = scene;
  const suspended = tryAwaitResumed(scene);
  if (suspended !== undefined) return suspended;
  const meanings = failures.map(meaningOf);
  const fatal = meanings.find(({ mends }) => mends === "never");
  if (fatal !== undefined) return { kind: "fail", issue: fatal.issue };
  const message = [reason, lackText(scene)].filter((one) => one !== "").join("; ");
  const due = later(bookmark.since, nodesWithin);
  if (now < due) {
    const shownIn = now < later(bookmark.since, usually) ? "in the log" : "in the tags";
    const look = lookAgain(message, scene, { shownIn });
    return { ...look, until: earliest(look.until, due) };
  }
  const [newest] = meanings;
  return { kind: "fail", issue: newest?.issue ?? { code: "NodeCreationFailure", message } };
}

// About as long as a launch takes.
const usually = minutes(2);

/**
 * The things that new instances still lack, and the last failure of Auto Scaling; empty if neither
 * is known.
 */
export function lackText(scene: SortedScene): string {
  const [refused] = scene.failures.map((one) => meaningOf(one).issue.message);
  const said = scene.fresh
    .filter((one) => isWaiting(one, scene) || !isInService(one))
    .map((one) =>
      isInService(one)
        ? invalidityOf(one, scene)
        : `instance ${one.instance.id} is ${one.instance.state}`,
    );
  return [...(refused === undefined ? [] : [refused]), ...said].join("; ");
}

/** The zones of the old nodes that need a new one: Auto Scaling launches none where traffic is shifted away. */
export const zonesToCover = (scene: SortedScene): readonly string[] => [
  ...new Set(
    scene.old.filter((one) => !isShifted(one, scene)).map(({ instance }) => instance.zone),
  ),
];

/** Those of them without a valid new one. */
export function zonesWithout(scene: SortedScene): readonly string[] {
  const covered = new Set(scene.valid.map(({ instance }) => instance.zone));
  return zonesToCover(scene).filter((zone) => !covered.has(zone));
}
