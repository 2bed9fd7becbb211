import { repairEvents } from "../repair/repair-events.ts";
import { drainEvents } from "../report/drain-events.ts";
import { launchEvents, nodeEvents, outcomeEvents } from "../report/end-events.ts";
import type { EventKind, EventRow, KubeEvent, ReportableEntry } from "../report/kube-event.ts";
import type { PassStory } from "../report/story.ts";
import { upgradeEvents } from "../upgrade/upgrade-events.ts";

/** The table of all Events; `npm run generate` writes docs/events.md from it. */
export const eventTable: readonly EventRow[] = [
  ...drainEvents,
  ...outcomeEvents,
  ...nodeEvents,
  ...launchEvents,
  ...upgradeEvents,
  ...repairEvents,
];

/** What something that happens is as Events: none for most entries of the journal, and none for an eviction. */
export const eventsOf = (happening: ReportableEntry, story: PassStory): readonly KubeEvent[] =>
  eventTable.flatMap((row) =>
    row.said(happening, story).map((told) => ({ ...kindOf(row), ...told })),
  );

const kindOf = ({ said: _, ...kind }: EventRow): EventKind => kind;
