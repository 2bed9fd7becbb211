import type { Notice } from "../../lambda/domain/notice/notice.ts";
import type { Outcome } from "../../lambda/domain/notice/outcome.ts";
import type { RepairEnd, RepairMessage } from "../../lambda/domain/repair/repair-entry.ts";
import type { UpgradeCommand } from "../../lambda/domain/upgrade/request.ts";
import type { UpgradeEnd } from "../../lambda/domain/upgrade/upgrade-entry.ts";
import { readNotice } from "../../lambda/events/notice.ts";
import { readRepair } from "../../lambda/events/repair.ts";
import { readUpgrade } from "../../lambda/events/upgrade.ts";
import type { QueueWork } from "../../lambda/flows/queue/queue-work.ts";
import { has } from "../../lambda/schema/read.ts";

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
