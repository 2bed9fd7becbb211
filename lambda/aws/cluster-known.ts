import type { Clock } from "../base/clock.port.ts";
import { Fault, faultOf } from "../base/fault.ts";
import { later, seconds } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { EksClusterClient } from "./eks-cluster-client.ts";

// A call of AWS takes a tenth of a second, and a notice waits no longer for an answer that does not come.
const longestWait = seconds(5);

/** Waits a moment until EKS has named the endpoint of the cluster; throws only if EKS says that there is no such cluster. */
export async function clusterKnown(
  client: Pick<EksClusterClient, "connection">,
  clock: Clock,
): Promise<void> {
  const wakeup = new Wakeup();
  const asked = client.connection().then(() => "known" as const, faultOf);
  void asked.then(() => wakeup.notify());
  await clock.sleep(later(clock.now(), longestWait), wakeup);
  const said = await Promise.race([asked, "no answer" as const]);
  if (said instanceof Fault && said.code === "cluster.not-found") throw said;
}
