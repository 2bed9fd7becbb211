import type { PutBackOutcome } from "../../lambda/making-room/put-back.ts";
import { roomEvents } from "../../lambda/making-room/room-events.ts";
import { roomFigures } from "../../lambda/making-room/room-figures.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import { form, maybe, notes } from "../form-schema.ts";
import type { Kinded } from "../line.ts";

// Making room in the journal; its entries are the engine's.
export const forms = [];
export const isOf = (_: Kinded): _ is never => false;
export const lines = () => [];
export const events = roomEvents;
export const figures = roomFigures;
export const reasons = [];
export const outcomeForms = [form("put-back", { skipped: maybe(notes) })];
export const outcomes = {
  "put-back": {
    tone: "good",
    exit: "done",
    words: ({ skipped = [] }: PutBackOutcome) =>
      skipped.length === 0
        ? "no workload is scaled up for a drain that is over"
        : `put back, but for what could not be looked at: ${noteLines(skipped).join("; ")}`,
  },
} as const;
