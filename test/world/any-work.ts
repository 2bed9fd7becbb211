import type { Notice } from "../../lambda/domain/notice/notice.ts";
import type { Outcome } from "../../lambda/domain/notice/outcome.ts";
import type { UpgradeCommand } from "../../lambda/domain/upgrade/request.ts";
import type { UpgradeEnd } from "../../lambda/domain/upgrade/upgrade-entry.ts";
import { readNotice } from "../../lambda/events/notice.ts";
import { readUpgrade } from "../../lambda/events/upgrade.ts";
import type { QueueWork } from "../../lambda/flows/queue/queue-work.ts";
import { has } from "../../lambda/schema/read.ts";

/** What a message of a world is about: in worlds, one function does the work of both. */
type AnyMessage =
  | { readonly about: "notice"; readonly content: Notice }
  | { readonly about: "upgrade"; readonly content: UpgradeCommand };

/** Reads a notice or a message about an upgrade. */
export const readAny = (value: unknown, path: string): AnyMessage =>
  has(value, "upgrade")
    ? { about: "upgrade", content: readUpgrade(value, path) }
    : { about: "notice", content: readNotice(value, path) };

/** Does the work that a message of either kind asks for. */
export function workOnAny(
  notices: QueueWork<Notice, Outcome>,
  upgrades: QueueWork<UpgradeCommand, UpgradeEnd>,
): QueueWork<AnyMessage, Outcome | UpgradeEnd> {
  return {
    ...notices,
    run: ({ content: { about, content }, receives }, ...rest) =>
      about === "notice"
        ? notices.run({ content, receives }, ...rest)
        : upgrades.run({ content, receives }, ...rest),
    subjectOf: ({ about, content }) =>
      about === "notice" ? notices.subjectOf(content) : upgrades.subjectOf(content),
    startEntry: ({ content: { about, content }, receives }) =>
      about === "notice"
        ? notices.startEntry({ content, receives })
        : upgrades.startEntry({ content, receives }),
    endEntry: ({ about, content }, end) =>
      about === "notice"
        ? notices.endEntry(content, end as Outcome)
        : upgrades.endEntry(content, end as UpgradeEnd),
    settled: async () => {
      await Promise.all([notices.settled(), upgrades.settled()]);
    },
  };
}
