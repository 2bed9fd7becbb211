import { drainEvents } from "./drain-events.ts";
import { launchEvents, nodeEvents, outcomeEvents } from "./end-events.ts";
import type { EventKind, EventRow, KubeEvent } from "./kube-event.ts";
import type { PassFacts } from "./pass-facts.ts";
import type { RecordedEntry } from "./reported-entry.ts";

/** The Events that every function creates. */
export const commonEvents: readonly EventRow[] = [
  ...drainEvents,
  ...outcomeEvents,
  ...nodeEvents,
  ...launchEvents,
];

/** The Events for an entry of the journal: none for most entries, and none for an eviction. */
export const eventsOf = (
  table: readonly EventRow[],
  happening: RecordedEntry,
  story: PassFacts,
): readonly KubeEvent[] =>
  table.flatMap((row) => row.said(happening, story).map((event) => ({ ...kindOf(row), ...event })));

const kindOf = ({ said: _, ...kind }: EventRow): EventKind => kind;
