import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { ArcZonalShifts } from "../../lambda/aws/zonal-shifts.ts";
import { type AwsAccess, regionOf } from "../connect/aws-access.ts";
import { type Found, readFrom } from "../connect/found.ts";

/** The ids of the zones of a Region that traffic is shifted away from. */
export const shiftedZonesAt = (aws: AwsAccess): Promise<Found<readonly string[]>> =>
  readFrom("listing zonal shifts", "arc-zonal-shift:ListZonalShifts", async () =>
    new ArcZonalShifts(await regionOf(new AutoScalingClient(aws)), aws).away(),
  );
