import { timeField } from "../../lambda/base/field.ts";
import { has, read } from "../../lambda/base/read.ts";
import { anything, record } from "../../lambda/base/schema.ts";
import { between, type Instant, later, timestamp } from "../../lambda/base/time.ts";
import { tryJson } from "../../lambda/base/try-json.ts";
import { readNotice } from "../../lambda/notices.ts";
import type { SavedMessage } from "./saved-event-schema.ts";

/** A saved message with the times that it has if it is sent now. The function itself says what is wrong with one that is no notice. */
export function justCome(saved: SavedMessage, now: Instant): SavedMessage {
  try {
    return { ...saved, message: JSON.stringify(sentAt(now, tryJson(saved.message))) };
  } catch {
    return saved;
  }
}

const terminationTime = "instance-termination-time";
const endDate = "end-date";
const withEnd = record({ [endDate]: timeField });

function sentAt(now: Instant, event: unknown): object {
  const notice = readNotice(event, "");
  const sent = timestamp(now);
  if (notice.kind === "interrupted") {
    const { detail } = read(record({ detail: anything }), event, "");
    const ends = { [terminationTime]: timestamp(later(now, notice.warning)) };
    return changed(event, {
      time: sent,
      detail: has(detail, terminationTime) ? changed(detail, ends) : detail,
    });
  }
  if (notice.kind === "block-expiring") {
    const { detail } = read(record({ detail: anything }), event, "");
    const { [endDate]: ends } = read(withEnd, detail, "");
    const own = { [endDate]: timestamp(later(ends, between(notice.since, now))) };
    return changed(event, { time: sent, detail: changed(detail, own) });
  }
  if (notice.kind === "maintenance") {
    const { detail } = read(record({ detail: anything }), event, "");
    const startTime = later(notice.startTime, between(notice.since, now));
    return changed(event, {
      time: sent,
      detail: changed(detail, { startTime: inHealth(startTime) }),
    });
  }
  return changed(event, has(event, "Time") ? { Time: sent } : { time: sent });
}

const inHealth = (at: Instant): string => new Date(at).toUTCString();

const changed = (value: unknown, fields: object): object =>
  typeof value === "object" ? { ...value, ...fields } : fields;
