import { sideBySide } from "../../lambda/base/side-by-side.ts";
import { timestamp } from "../../lambda/base/time.ts";
import { podTitle } from "../../lambda/drain/pod.ts";
import { kubeWorkloads } from "../../lambda/kubernetes/making-room/kube-workloads.ts";
import { trySurge } from "../../lambda/making-room/record.ts";
import { type Workload, workloadTitle } from "../../lambda/making-room/workload.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { readsAtOnce } from "../connect/reads-at-once.ts";
import type { SurgedWorkload } from "../status/status-schema.ts";

const rights =
  "get and list deployments, replicasets and scaledobjects.keda.sh, list horizontalpodautoscalers";

/** The workloads with raised replicas. */
export async function surged(
  { client, clock }: ClusterAccess,
  read: (
    source: "workloads",
    recorded: () => Promise<readonly Workload[]>,
    rights: string,
  ) => Promise<readonly Workload[]>,
): Promise<readonly SurgedWorkload[]> {
  const workloads = kubeWorkloads(client, clock);
  const recorded = async () => {
    const { records } = await workloads.records();
    const spaces = Map.groupBy(records, ({ namespace }) => namespace);
    const found = await sideBySide([...spaces.values()], readsAtOnce, (some) =>
      workloads.recordedBy(some),
    );
    return found.flatMap((one) => one.workloads);
  };
  const found = await read("workloads", recorded, rights);
  const all = await sideBySide(found, readsAtOnce, async (workload) => {
    const record = trySurge(workload.annotations);
    if (record === undefined) return [];
    const { was: from, is: to, since, why } = record;
    const replicas = await workloads.replicasOf(workload);
    const coming = typeof replicas === "string" ? [] : replicas.filter(({ pod }) => !pod.ready);
    const awaited = coming.map(({ pod }) => podTitle(pod));
    const title = `${workload.namespace}/${workloadTitle(workload)}`;
    return [{ workload: title, from, to, since: timestamp(since), why, awaited }];
  });
  return all.flat();
}
