import { countOf } from "../group/node-count.ts";
import { hasBegun } from "./due-repair.ts";
import { type GroupView, type IllMember, isServing, type Member } from "./members.ts";
import type { RepairBrake } from "./repair-brakes.ts";
import { awaited, isWithinHour, repairing } from "./under-way.ts";

/** Says which members have to wait for a slot. Repairs that have begun keep theirs; then the order of the list counts. */
export function slotBrakes(
  candidates: readonly IllMember[],
  view: GroupView,
): ReadonlyMap<IllMember, readonly RepairBrake[]> {
  const begun = (member: IllMember) => Number(hasBegun(member, view));
  const ordered = candidates.toSorted((a, b) => begun(b) - begun(a));
  const room = roomFor(candidates, view);
  return new Map(ordered.slice(room.slots).map((member) => [member, room.brakes]));
}

/** How many of the members are repaired now, and what holds the others. */
function roomFor(candidates: readonly IllMember[], view: GroupView) {
  const own = new Set(candidates.map(({ instance }) => instance.id));
  const isOther = ({ instance }: Member) => !own.has(instance.id);
  const others = repairing(view).filter(isOther).length + awaited(view);
  const recent = withinHour(view).filter(({ instance }) => !own.has(instance)).length;
  const { perHour } = view.settings;
  const allowed = allowedAtOnce(view);
  const slots = Math.max(0, Math.min(allowed - others, perHour - recent));
  const underWay = others + slots;
  const begun = recent + slots;
  const brakes: readonly RepairBrake[] = [
    ...(underWay >= allowed ? [{ kind: "at-once", underWay, allowed } as const] : []),
    ...(begun >= perHour ? [{ kind: "per-hour", begun, allowed: perHour } as const] : []),
  ];
  return { slots, brakes };
}

/** A percentage means at least one. */
function allowedAtOnce({ settings: { atOnce }, members }: GroupView): number {
  return Math.max(1, countOf(atOnce, members.filter(isServing).length));
}

const withinHour = ({ records, now }: GroupView) =>
  records.filter(({ at }) => isWithinHour(at, now));
