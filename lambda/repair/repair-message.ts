import { timeField } from "../base/field.ts";
import { has, read } from "../base/read.ts";
import { oneOf, record } from "../base/schema.ts";
import type { RepairMessage } from "./repair-entry.ts";

const message = record({ kind: oneOf("repair") });
const sentAt = record({ time: timeField });

/**
 * Reads the message of the schedule, such as `{"kind": "repair", "time": "2026-11-20T10:00:00Z"}`. A message that a person
 * sends has no time.
 */
export function readRepair(value: unknown, path: string): RepairMessage {
  const { kind } = read(message, value, path);
  return { kind, sent: has(value, "time") ? read(sentAt, value, path).time : "unsaid" };
}
