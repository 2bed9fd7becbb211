import type { Labels } from "../../../lambda/base/labels.ts";
import { instant, later, seconds } from "../../../lambda/base/time.ts";
import type { Bookmark } from "../../../lambda/upgrade/bookmark.ts";
import { bookmarkTags } from "../../../lambda/upgrade/bookmark-tags.ts";
import { groupDefaults } from "../../../sandbox/aws/group.ts";
import { putTags } from "../../../sandbox/aws/group-update.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { aBookmark } from "../../upgrade/upgrade-builders.ts";
import { aSite, type Site } from "../connect/a-site.ts";

const { group } = terminateAction;
/** The log of the upgrade function. */
export const upgradeLog = "/aws/lambda/upgrade";
/** The time of the tests, in whole seconds, as tags tell it. */
export const now = instant(Math.floor(Date.now() / 1000) * 1000);
/** The template of the group. */
const template = groupDefaults.template.id;

/** The demo with a queue of upgrades, and a template that has two versions; nobody answers the queue. */
export async function aSiteWithUpgrades(
  options: Parameters<typeof aSite>[0] = { broken: "budget-blocked" },
) {
  const site = await aSite(options);
  const queue = site.aws.sqs.createQueue({ name: "upgrades" });
  const UpgradeQueueUrl = `${site.url}/${site.aws.account.id}/upgrades`;
  site.aws.records.addStack(demoNode.names.stack, {
    FunctionName: demoNode.names.function,
    LogGroupName: `/aws/lambda/${demoNode.names.function}`,
    UpgradeQueueUrl,
    UpgradeLogGroupName: upgradeLog,
  });
  site.aws.logs.create(upgradeLog);
  const from = { LaunchTemplateId: template };
  const spec = { imageId: "ami-0fedcba9876543210", instanceType: undefined, description: "new" };
  site.aws.templates.make(from, { source: "1", token: "", ...spec });
  const sent = () => queue.contents().map(({ message }) => JSON.parse(message.body) as unknown);
  return { ...site, sent };
}

/** Writes tags of a group as an upgrade does. */
export function tag({ aws }: Pick<Site, "aws">, tags: Labels, of: string = group): void {
  const its = { ResourceId: of, ResourceType: "auto-scaling-group" };
  const all = Object.entries(tags).map(([Key, Value = ""]) => ({ ...its, Key, Value }));
  putTags(aws.autoScaling.register, all);
}

/** The tags of an upgrade that is under way. */
export const underWay = (change: Partial<Bookmark> = {}) =>
  bookmarkTags(
    aBookmark({
      to: { template, version: 2 },
      begun: later(now, seconds(-3600)),
      seen: now,
      ...change,
    }),
  );
