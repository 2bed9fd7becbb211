import { tenanciesOf } from "../../lambda/kubernetes/tenancies.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import type { Outlook } from "../../lambda/upgrade/outlook.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";

/** A group before its upgrade, as its cluster is now. Nobody knows the id of the upgrade yet, so chance is that of its name. */
export async function outlookAt(
  { client }: Pick<ClusterAccess, "client">,
  upgrade: Pick<Outlook, "fleet" | "options" | "settings" | "targets">,
): Promise<Outlook> {
  const { name: id, instances } = upgrade.fleet;
  const own = instances.map((one) => one.id);
  const tenancies = await tenanciesOf(client, own);
  return { ...upgrade, id, tenancies, now: systemClock.now() };
}
