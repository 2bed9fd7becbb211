import { drainEvents } from "./drain-events.ts";
import { launchEvents, nodeEvents, outcomeEvents } from "./end-events.ts";
import type { EventKind, EventRow, Happening, KubeEvent } from "./kube-event.ts";
import { repairEvents } from "./repair-events.ts";
import type { Story } from "./story.ts";
import { upgradeEvents } from "./upgrade-events.ts";

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
export const eventsOf = (happening: Happening, story: Story): readonly KubeEvent[] =>
  eventTable.flatMap((row) =>
    row.said(happening, story).map((told) => ({ ...kindOf(row), ...told })),
  );

const kindOf = ({ said: _, ...kind }: EventRow): EventKind => kind;
