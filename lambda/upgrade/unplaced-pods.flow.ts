import { later, minutes } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import type { ScalingGroup, TemplateVersion } from "../group/scaling-group.ts";
import { type Issue, issueText } from "./issues.ts";
import { shiftedAmong, targetsOf } from "./read-scene.flow.ts";
import type { StepOf, UpgradeScene } from "./scene.ts";
import {
  batchesIn,
  boundIn,
  boundText,
  type CordonChoice,
  cordonChoice,
  cordonOf,
  cordonTexts,
  isToChoose,
  type Outlook,
  refusedPods,
  refusesUnplaced,
  unplacedIn,
} from "./unplaced.ts";
import type { StartCommand } from "./upgrade-message.ts";
import { bookmarkProgress, type UpgradeTools } from "./upgrade-tools.flow.ts";
import { wait } from "./waits.ts";

/** Why an upgrade is refused because pods would find no node, and when old nodes are cordoned. */
interface Prospect {
  readonly issues: readonly Issue[];
  readonly cordon: CordonChoice["cordon"];
}

/** The group, its nodes, and the version that it is upgraded to. */
interface BeganFacts {
  readonly group: ScalingGroup;
  readonly nodes: readonly MachineNode[];
  readonly target: TemplateVersion;
}

/**
 * Decides whether an upgrade is refused because its pods would find no node, and when its old nodes are cordoned. Reads
 * nothing if the options leave neither open. Journals why not all old nodes are cordoned at once.
 */
export async function decidePlacement(
  { id, options }: StartCommand,
  { group, target, nodes }: BeganFacts,
  tools: UpgradeTools,
): Promise<Prospect> {
  if (!refusesUnplaced(options) && !isToChoose(options))
    return { issues: [], cordon: cordonOf(options) };
  const { clock, journal } = tools.ports;
  const targets = await targetsOf({ group, bookmark: { to: target } }, tools);
  const shifted = await shiftedAmong(nodes, tools);
  const seen = { id, group, targets, options, shifted, now: clock.now() };
  const outlook = await outlookOf(seen, tools);
  const batches = batchesIn(outlook);
  const issues = refusesUnplaced(options) ? refusedPods(unplacedIn(outlook, batches)) : [];
  const choice = cordonChoice(outlook, batches);
  const warnings = cordonTexts(choice);
  if (warnings.length > 0) journal.record({ kind: "warning", about: "cordons", warnings });
  const bound = boundText(boundIn(outlook, batches));
  if (bound !== "") journal.record({ kind: "warning", about: "pods", warnings: [bound] });
  return { issues, cordon: choice.cordon };
}

async function outlookOf(
  seen: Omit<Outlook, "nodeInfos" | "settings">,
  { policy, ports }: UpgradeTools,
): Promise<Outlook> {
  const { instances, tags } = seen.group;
  const nodeInfos = await ports.groupNodes.nodeInfos(instances.map((instance) => instance.id));
  return { ...seen, nodeInfos, settings: policy.drain.settingsFor(tags).settings };
}

const askedEvery = minutes(10);

/**
 * Waits if pods would find no node any more: since the last check, a maintenance window or a hold may have taken days. The
 * nodes of the surge exist by now.
 */
export async function tryAwaitRoom(
  { bookmark, group, targets, now, shifted }: UpgradeScene,
  tools: UpgradeTools,
): Promise<StepOf<"wait"> | undefined> {
  const { id, options, roomFound, since } = bookmark;
  if (
    bookmark.state !== "running" ||
    !refusesUnplaced(options) ||
    now < later(roomFound, askedEvery)
  )
    return undefined;
  const outlook = await outlookOf({ id, now, group, targets, options, shifted }, tools);
  const alone = { ...outlook, options: { ...options, surge: 0 } };
  const [issue] = refusedPods(unplacedIn(alone, batchesIn(outlook)));
  if (issue !== undefined)
    return wait(issueText(issue), later(now, minutes(5)), {
      since: "restarts",
      shownIn: "in the tags",
    });
  await bookmarkProgress(bookmark, { roomFound: now, since }, tools);
  return undefined;
}
