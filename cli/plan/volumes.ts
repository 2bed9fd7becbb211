import type { V1PersistentVolume, V1PersistentVolumeClaim } from "@kubernetes/client-node";
import type { NodeDemand } from "../../lambda/drain/reschedulable-pod.ts";
import type { ForecastPod, LocalData } from "../../lambda/forecast/forecast-pod.ts";
import type { AsSent } from "../../lambda/kubernetes/as-sent.ts";
import { demandOf } from "../../lambda/kubernetes/reschedulable-pod-of.ts";

/** A PersistentVolume, as far as it decides where a pod may go. */
export interface Volume {
  readonly name: string;
  readonly demands: readonly NodeDemand[];
  /** Whether its data lies on its node, or is attached to the node, or neither. */
  readonly kind: "local" | "attached" | "shared";
}

/** The volumes by the claims that are bound to them: `namespace/claim`. */
export type Volumes = ReadonlyMap<string, Volume>;

/** Reads a volume of the Kubernetes API. */
export function volumeOf({ metadata, spec = {} }: AsSent<V1PersistentVolume>): Volume {
  const name = metadata?.name ?? "";
  const { nodeAffinity, local, hostPath, csi, awsElasticBlockStore } = spec;
  const required = nodeAffinity?.required;
  const isLocal = local !== undefined || hostPath !== undefined;
  // File systems and buckets are mounted, and never attached.
  const isAttached =
    awsElasticBlockStore !== undefined ||
    (csi !== undefined && !/efs|fsx|s3|nfs|smb/.test(csi.driver));
  return {
    name,
    demands: required === undefined ? [] : [demandOf(`volume ${name}`, required)],
    kind: isLocal ? "local" : isAttached ? "attached" : "shared",
  };
}

/** The volume that a claim is bound to, by name; empty while it is bound to none. */
export const volumeNameOf = ({ spec }: AsSent<V1PersistentVolumeClaim>): string =>
  spec?.volumeName ?? "";

/** A pod with what its volumes demand of its node. */
export function withVolumes(forecastPod: ForecastPod, volumes: Volumes): ForecastPod {
  const { namespace, claims } = forecastPod.pod;
  const own = claims.flatMap((claim) => volumes.get(`${namespace}/${claim}`) ?? []);
  if (own.length === 0) return forecastPod;
  const named = (kind: Volume["kind"]) =>
    own.filter((one) => one.kind === kind).map(({ name }) => name);
  return {
    ...forecastPod,
    demands: [...forecastPod.demands, ...own.flatMap(({ demands }) => demands)],
    localData: [
      ...forecastPod.localData,
      ...named("local").map((name): LocalData => ({ volume: "local volume", name })),
    ],
    attached: named("attached"),
  };
}
