import { bookmarkTags } from "../../../../lambda/upgrade/bookmark-tags.ts";
import { aBookmark } from "../../../upgrade/upgrade-builders.ts";
import { type Breaks, id } from "./break.ts";

/** Ways to break the links that tell of upgrades and of what goes wrong. */
export const watchingBreaks: Breaks = {
  upgrades: [
    {
      how: "nobody answers an upgrade any more",
      options: { tags: bookmarkTags(aBookmark({ id: "0badcafe" })) },
      breaking: () => undefined,
      says: /no pass has looked at upgrade 0badcafe of workers, running, since/,
    },
    {
      how: "somebody has spoilt the tags of an upgrade",
      options: { tags: { ...bookmarkTags(aBookmark()), "eks-node-lifecycle/upgrade": "nonsense" } },
      breaking: () => undefined,
      says: /the upgrade of workers cannot be read: the tag eks-node-lifecycle\/upgrade says nonsense/,
    },
  ],
  alarms: [
    {
      how: "an alarm goes off",
      breaking: ({ records, amend }) => amend(records.alarms, id.alarm, { StateValue: "ALARM" }),
      says: /goes off/,
    },
    {
      how: "an alarm's actions are switched off",
      breaking: ({ records, amend }) => amend(records.alarms, id.alarm, { ActionsEnabled: false }),
      says: /notifies nobody/,
    },
    {
      how: "an alarm is deleted",
      breaking: ({ records }) => records.alarms.delete(id.alarm),
      says: /is not there, although the stack has it/,
    },
  ],
};
