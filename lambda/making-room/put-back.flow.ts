import type { DrainSettings } from "../drain/drain-policy.ts";
import { faultEntry } from "../notice/fault-entry.flow.ts";
import type { Ports } from "../registrations/ports.ts";
import { attend } from "./attend.flow.ts";

/**
 * Puts back every count that was raised for a drain that does not need it any more, whoever has raised it. One that fails
 * keeps none of the others; the next pass of anybody tries it again.
 */
export async function putRoomBack(settings: DrainSettings, ports: Ports): Promise<void> {
  if (settings.makeRoom === "off") return;
  const tolerant = async (work: () => Promise<unknown>) =>
    work().catch((cause: unknown) => ports.journal.record(faultEntry(cause)));
  await tolerant(async () => {
    const workloads = await ports.cluster.workloads();
    for (const workload of await workloads.recorded())
      await tolerant(() => attend(workload, { need: "none", settings }, ports));
  });
}
