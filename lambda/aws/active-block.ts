import type { CapacityReservation } from "@aws-sdk/client-ec2";
import { instant } from "../base/time.ts";
import type { CapacityBlock } from "../interruption/capacity-block.ts";

/** A Capacity Reservation as the Capacity Block that it is; `undefined` if it is another one, or does not run. */
export const tryActiveBlock = ({
  ReservationType: type,
  State: state,
  EndDate: ends,
  InstanceType: instanceType = "",
}: CapacityReservation): CapacityBlock | undefined =>
  type === "capacity-block" && state === "active" && ends !== undefined
    ? { ends: instant(ends.getTime()), instanceType }
    : undefined;
