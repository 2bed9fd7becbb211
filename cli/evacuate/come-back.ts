import type { ZonalShift } from "../../lambda/aws/zonal-shifts.ts";
import type { Fleet } from "../../lambda/group/fleet.ts";
import type { Refusal } from "../drain/standing.ts";

/** A zone, by its name and, where a node tells it, by its id. */
export interface Zone {
  readonly zone: string;
  readonly zoneId: string;
}

/**
 * Why an instance of a zone cannot be left to its group to replace; `undefined` if the replacement comes in another zone.
 *
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-zonal-shift.html
 */
export function tryComeBack(
  { name, zones }: Fleet,
  { zone, zoneId }: Zone,
  shifts: readonly ZonalShift[],
): Refusal | undefined {
  const keep = "or keep the empty nodes with --keep";
  if (zones.every((one) => one === zone))
    return {
      why: `group ${name} has no subnet outside ${zone}, so it cannot replace an instance there`,
      remedy: `give the group a subnet in another zone, ${keep}`,
    };
  const isShifted = shifts.some(
    ({ awayFrom, resource }) =>
      awayFrom === zoneId && resource.endsWith(`:autoScalingGroupName/${name}`),
  );
  if (isShifted || !zones.includes(zone)) return undefined;
  return {
    why: `group ${name} may still launch in ${zone}, so the replacement of an instance could come back there`,
    remedy: `start a zonal shift of the group away from ${zone}, take the subnet out of the group, ${keep}`,
  };
}
