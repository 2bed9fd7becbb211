import type { Draft } from "./kube-object.ts";
import type { Pod, PodSpec, Toleration } from "./pod.ts";

const priorities: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** Lets a pod stay on a not-ready or unreachable node for 300 s, as the admission plugin does. */
function lenient(tolerations: readonly Toleration[]): readonly Toleration[] {
  const missing = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].filter(
    (key) =>
      !tolerations.some(
        (it) => (!it.key || it.key === key) && (!it.effect || it.effect === "NoExecute"),
      ),
  );
  const given = { operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 };
  return [...tolerations, ...missing.map((key) => ({ key, ...given }))];
}

/** Fills in what the API server fills in when it creates a pod. */
export function completePod(draft: Draft<Pod>): Draft<Pod> {
  const asked: PodSpec = draft.spec ?? { containers: [] };
  const spec: PodSpec = {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "default",
    schedulerName: "default-scheduler",
    ...asked,
    priority: priorities[asked.priorityClassName ?? ""] ?? 0,
    tolerations: lenient(asked.tolerations ?? []),
  };
  return { ...draft, spec, status: draft.status ?? { phase: "Pending", qosClass: "BestEffort" } };
}
