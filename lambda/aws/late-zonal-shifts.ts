import type { EKSClientConfig } from "@aws-sdk/client-eks";
import type { ZonalShifts } from "../group-work/zonal-shifts.port.ts";
import { once } from "../process/once.ts";

/** The zonal shifts. Their client is loaded with the first call, because most passes need no call. */
export function lateZonalShifts(region: string, options: EKSClientConfig): ZonalShifts {
  const shifts = once(async () => {
    const { ArcZonalShifts } = await import("./zonal-shifts.ts");
    return new ArcZonalShifts(region, options);
  });
  return { away: async () => (await shifts()).away() };
}
