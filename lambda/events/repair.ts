import type { RepairMessage } from "../domain/repair/repair-entry.ts";
import { timeField } from "../schema/field.ts";
import { has, read } from "../schema/read.ts";
import { oneOf, record } from "../schema/schema.ts";

const message = record({ kind: oneOf("repair") });
const sentAt = record({ time: timeField });

/** Reads the message of the schedule, such as `{"kind": "repair", "time": "2026-11-20T10:00:00Z"}`; one that a person sends has no time. */
export function readRepair(value: unknown, path: string): RepairMessage {
  const { kind } = read(message, value, path);
  return { kind, sent: has(value, "time") ? read(sentAt, value, path).time : "unsaid" };
}
