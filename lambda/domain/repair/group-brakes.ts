import { readBookmark } from "../upgrade/bookmark/bookmark-tags.ts";
import type { NodeCount } from "../upgrade/request.ts";
import { type GroupView, isCountedIll, isServing, type Member } from "./members.ts";
import type { RepairBrake } from "./repair-brakes.ts";

const needed = ["ReplaceUnhealthy", "Launch", "Terminate", "HealthCheck"];

/** What keeps all repairs of a group from beginning. */
export function groupBrakes(view: GroupView): readonly RepairBrake[] {
  const { fleet, refresh, failures } = view.group;
  const processes = fleet.suspended.filter((one) => needed.includes(one));
  return [
    ...(view.refused.length > 0 ? [{ kind: "settings", refused: view.refused } as const] : []),
    ...(refresh === "active" ? [{ kind: "refresh" } as const] : []),
    ...(isUpgraded(view) ? [{ kind: "upgrade" } as const] : []),
    ...(processes.length > 0 ? [{ kind: "suspended", processes } as const] : []),
    ...failures
      .slice(0, 1)
      .map(({ at, message }) => ({ kind: "activity-failed", at, message }) as const),
    ...shareBrake(view),
  ];
}

/** Whether an upgrade of the group goes on, or has left tags that nobody can read. */
export const isUpgraded = ({ group: { fleet } }: Pick<GroupView, "group">): boolean =>
  readBookmark(fleet.tags).kind !== "none";

const alwaysAllowed = 3;

function shareBrake({ members, settings: { mostIll }, now }: GroupView): readonly RepairBrake[] {
  const of = members.filter(isServing).length;
  const ill = members.filter((member) => isCountedIll(member, now)).length;
  const share = countOf(mostIll, of);
  const allowed = mostIll.kind === "count" ? share : Math.max(alwaysAllowed, share);
  return ill > allowed ? [{ kind: "ill-share", ill, of, allowed }] : [];
}

/** How many of a group's instances a setting means, rounded down. */
export const countOf = ({ kind, value }: NodeCount, of: number): number =>
  kind === "count" ? value : Math.floor((of * value) / 100);

/** What keeps repairs from beginning in the zones of some groups. */
export function zoneBrakes(
  views: readonly GroupView[],
  shifted: readonly string[],
): ReadonlyMap<string, readonly RepairBrake[]> {
  const serving = views.flatMap(({ members, now }) =>
    members.filter(isServing).map((member) => ({ member, now })),
  );
  const zones = Map.groupBy(serving, ({ member }) => member.instance.zone);
  return new Map(
    [...zones].map(([zone, all]) => {
      const isAllIll = all.every(({ member, now }) => isCountedIll(member, now));
      return [
        zone,
        [
          ...(isAllIll && all.length > 1
            ? [{ kind: "zone-ill", zone, ill: all.length } as const]
            : []),
          ...(shifted.includes(zone) ? [{ kind: "zone-shifted", zone } as const] : []),
        ],
      ];
    }),
  );
}

/** What keeps instances without a node from being replaced. */
export function nodelessBrakes(views: readonly GroupView[]): readonly RepairBrake[] {
  const serving = views.flatMap(({ members }) => members.filter(isServing));
  const hasNode = ({ node }: Member) => node !== "none";
  return serving.some(hasNode) ? [] : [{ kind: "no-nodes", instances: serving.length }];
}
