import { has } from "../../lambda/base/read.ts";
import type { Notice } from "../../lambda/notice/notice.ts";
import type { Outcome } from "../../lambda/notice/outcome.ts";
import type { QueueWork } from "../../lambda/notice/queue-work.flow.ts";
import { readNotice } from "../../lambda/notice/read-notice.ts";
import type { RepairEnd, RepairMessage } from "../../lambda/repair/repair-entry.ts";
import { readRepair } from "../../lambda/repair/repair-message.ts";
import type { UpgradeCommand } from "../../lambda/upgrade/request.ts";
import type { UpgradeEnd } from "../../lambda/upgrade/upgrade-entry.ts";
import { readUpgrade } from "../../lambda/upgrade/upgrade-message.ts";

/** What a message of a world is about: in worlds, one function does the work of both. */
type AnyMessage =
  | { readonly about: "notice"; readonly content: Notice }
  | { readonly about: "upgrade"; readonly content: UpgradeCommand }
  | { readonly about: "repair"; readonly content: RepairMessage };

/** Reads a notice, or a message about an upgrade or repairs. */
export function readAny(value: unknown, path: string): AnyMessage {
  if (has(value, "upgrade")) return { about: "upgrade", content: readUpgrade(value, path) };
  if (Object(value).kind === "repair") return { about: "repair", content: readRepair(value, path) };
  return { about: "notice", content: readNotice(value, path) };
}

/** The work of each function. */
interface Works {
  readonly notice: QueueWork<Notice, Outcome>;
  readonly upgrade: QueueWork<UpgradeCommand, UpgradeEnd>;
  readonly repair: QueueWork<RepairMessage, RepairEnd>;
}

type AnyEnd = Outcome | RepairEnd | UpgradeEnd;

/** Does the work that a message of any kind asks for. */
export function workOnAny(works: Works): QueueWork<AnyMessage, AnyEnd> {
  // Each message goes to the work of its own kind.
  const workOn = ({ about }: AnyMessage) => works[about] as QueueWork<unknown, AnyEnd>;
  return {
    ...works.notice,
    run: ({ content, ...reception }, ...rest) =>
      workOn(content).run({ content: content.content, ...reception }, ...rest),
    backWithin: (message) => workOn(message).backWithin?.(message.content) ?? "usual",
    subjectOf: (message) => workOn(message).subjectOf(message.content),
    startEntry: ({ content, ...reception }) =>
      workOn(content).startEntry({ content: content.content, ...reception }),
    endEntry: (message, end) => workOn(message).endEntry(message.content, end),
    settled: async () => {
      await Promise.all(Object.values(works).map((one) => one.settled()));
    },
  };
}
