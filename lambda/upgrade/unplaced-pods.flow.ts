import { later, minutes } from "../base/time.ts";
import type { ScalingGroup, TemplateVersion } from "../group/scaling-group.ts";
import { type Issue, issueText } from "./issues.ts";
import { targetsOf } from "./read-scene.flow.ts";
import type { StepOf, UpgradeScene } from "./scene.ts";
import {
  batchesIn,
  type CordonChoice,
  cordonChoice,
  cordonTexts,
  type Outlook,
  refusedPods,
  refusesUnplaced,
  unplacedIn,
} from "./unplaced.ts";
import type { StartCommand } from "./upgrade-message.ts";
import { bookmarkProgress, type UpgradeTools } from "./upgrade-tools.flow.ts";

interface GroupAndTarget {
  readonly group: ScalingGroup;
  readonly target: TemplateVersion;
}

/** The issues that refuse an upgrade because pods would find no node; empty if they find one, or the option allows it. */
export async function unplacedPods(
  start: StartCommand,
  found: GroupAndTarget,
  tools: UpgradeTools,
): Promise<readonly Issue[]> {
  if (!refusesUnplaced(start.options)) return [];
  const outlook = await outlookOf(start, found, tools);
  return refusedPods(unplacedIn(outlook, batchesIn(outlook)));
}

/** When old nodes are cordoned. The journal says why not all at once. */
export async function cordonOf(
  start: StartCommand,
  found: GroupAndTarget,
  tools: UpgradeTools,
): Promise<CordonChoice["cordon"]> {
  const { cordon, strategy } = start.options;
  if (cordon !== "by-room") return cordon;
  if (strategy !== "MINIMAL") return "all";
  const outlook = await outlookOf(start, found, tools);
  const choice = cordonChoice(outlook, batchesIn(outlook));
  const warnings = cordonTexts(choice);
  if (warnings.length > 0)
    tools.ports.journal.record({ kind: "warning", about: "cordons", warnings });
  return choice.cordon;
}

async function outlookOf(
  { id, options }: StartCommand,
  { group, target }: GroupAndTarget,
  tools: UpgradeTools,
): Promise<Outlook> {
  const { policy, ports } = tools;
  const [targets, nodeInfos] = await Promise.all([
    targetsOf({ group, bookmark: { to: target } }, tools),
    ports.groupNodes.nodeInfos(group.instances.map((instance) => instance.id)),
  ]);
  const { settings } = policy.drain.settingsFor(group.tags);
  return { id, now: ports.clock.now(), group, targets, options, nodeInfos, settings };
}

const askedEvery = minutes(10);

/**
 * Waits if pods would find no node any more: since the last check, a maintenance window or a hold may have taken days. The
 * nodes of the surge exist by now.
 */
export async function tryAwaitRoom(
  { bookmark, group, targets, now }: UpgradeScene,
  tools: UpgradeTools,
): Promise<StepOf<"wait"> | undefined> {
  const { id, options, roomy, since } = bookmark;
  if (!refusesUnplaced(options) || now < later(roomy, askedEvery)) return undefined;
  const { settings } = tools.policy.drain.settingsFor(group.tags);
  const nodeInfos = await tools.ports.groupNodes.nodeInfos(group.instances.map((one) => one.id));
  const outlook = { id, now, group, targets, options, nodeInfos, settings };
  const alone = { ...outlook, options: { ...options, surge: 0 } };
  const [issue] = refusedPods(unplacedIn(alone, batchesIn(outlook)));
  if (issue !== undefined)
    return {
      ...{ kind: "wait", reason: issueText(issue), until: later(now, minutes(5)) },
      ...{ since: "anew", told: "in the tags" },
    };
  await bookmarkProgress(bookmark, { roomy: now, since }, tools);
  return undefined;
}
