import { later, seconds } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { ServerClock } from "../process/server-clock.ts";
import type { EksClusterClient } from "./eks-cluster-client.ts";

// A call of AWS takes a tenth of a second, and a notice waits no longer for an answer that does not come.
const patience = seconds(5);

/** Waits until a server has said what time it is: EKS does so when it names the endpoint of the cluster, which each pass needs. */
export async function timeKnown(
  client: Pick<EksClusterClient, "connection">,
  clock: ServerClock,
): Promise<void> {
  if (clock.taught) return;
  const wakeup = new Wakeup();
  const notify = () => wakeup.notify();
  client.connection().then(notify, notify);
  await clock.sleep(later(clock.now(), patience), wakeup);
}
