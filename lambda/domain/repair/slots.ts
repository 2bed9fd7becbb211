import { hours, later, milliseconds } from "../time.ts";
import { hasBegun } from "./due-repair.ts";
import { countOf } from "./group-brakes.ts";
import { type GroupView, type IllMember, isServing } from "./members.ts";
import type { RepairBrake } from "./repair-brakes.ts";
import { awaited, repairing } from "./under-way.ts";

/** Says which of the members that nothing else holds are repaired now; the first come first, and those already begun before them. */
export function slotBrakes(
  candidates: readonly IllMember[],
  view: GroupView,
): ReadonlyMap<IllMember, readonly RepairBrake[]> {
  const begun = (member: IllMember) => Number(hasBegun(member, view));
  const ordered = candidates.toSorted((a, b) => begun(b) - begun(a));
  const own = new Set(candidates.map(({ instance }) => instance.id));
  const others =
    repairing(view).filter(({ instance }) => !own.has(instance.id)).length + awaited(view);
  const recent = withinHour(view).filter(({ instance }) => !own.has(instance)).length;
  const allowed = allowedAtOnce(view);
  const { perHour } = view.settings;
  return new Map(
    ordered.map((member, before) => [
      member,
      [
        ...(others + before < allowed
          ? []
          : [{ kind: "at-once", underWay: others + before, allowed } as const]),
        ...(recent + before < perHour
          ? []
          : [{ kind: "per-hour", begun: recent + before, allowed: perHour } as const]),
      ],
    ]),
  );
}

/** A percentage means at least one. */
function allowedAtOnce({ settings: { atOnce }, members }: GroupView): number {
  return Math.max(1, countOf(atOnce, members.filter(isServing).length));
}

const withinHour = ({ records, now }: GroupView) =>
  records.filter(({ at }) => at > later(now, milliseconds(-hours(1))));
