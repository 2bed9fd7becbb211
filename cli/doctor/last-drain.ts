import type { Dated } from "../../journal/entry.ts";
import { hours, instant, timestamp } from "../../lambda/base/time.ts";
import { mapped } from "../connect/found.ts";
import { entriesIn, ofKinds } from "../status/last-entries.ts";
import type { Check } from "./site.ts";

const span = hours(24);

/** The last finished notice and the last fault in the entries of a day. */
export function lastWords(entries: readonly Dated[]): string {
  const done = entries.findLast(({ kind }) => kind === "notice-done");
  const fault = entries.findLast(({ kind }) => kind === "fault");
  const ended =
    done?.kind === "notice-done"
      ? `${done.notice} ended as ${done.outcome.kind} at ${timestamp(done.at)}`
      : "nothing was done in the last day";
  return fault?.kind === "fault"
    ? `${ended}; the last fault was at ${timestamp(fault.at)}: ${fault.message}`
    : `${ended}; no fault in the last day`;
}

/** Reports the last drain and the last fault. */
export const lastDrainCheck: Check = async ({ parts, aws, now }) => {
  const since = instant(now - span);
  const pattern = ofKinds("notice-done", "fault");
  const log = await entriesIn(parts.output("LogGroupName"), aws, pattern, since);
  return mapped(log, ({ entries }) => ({ well: lastWords(entries), problems: [] }));
};
