import type {
  V1DeploymentSpec,
  V1DeploymentStatus,
  V1ObjectMeta,
  V1PersistentVolumeClaimSpec,
  V1PersistentVolumeSpec,
  V2HorizontalPodAutoscalerSpec,
} from "@kubernetes/client-node";
import { isName } from "../api-path.ts";
import type { AsSent } from "../as-sent.ts";
import { type ListTools, longestAnswer } from "../bounded-list.ts";
import { absentIfNotFound, onlyOnce } from "../kube-fault.ts";
import { readJson } from "../send-request.ts";

/** Whatever is read here: each kind has a part of it, and what is absent has nothing. */
export interface SentWorkload {
  readonly metadata?: AsSent<V1ObjectMeta>;
  readonly spec?: AsSent<
    Partial<V1DeploymentSpec & V2HorizontalPodAutoscalerSpec & VolumeSpec & Keda>
  >;
  readonly status?: Partial<AsSent<V1DeploymentStatus>>;
}

type VolumeSpec = V1PersistentVolumeClaimSpec & V1PersistentVolumeSpec;

/** @see https://keda.sh/docs/latest/reference/scaledobject-spec/ */
interface Keda {
  readonly minReplicaCount: number;
  readonly maxReplicaCount: number;
}

/** Reads an object; empty if there is none. Of a name that no object can have there is none either. */
export async function sentAt(
  path: string,
  { client, gate }: ListTools,
  form: Parameters<typeof readJson>[2] = {},
): Promise<SentWorkload> {
  if (!isName(decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)))) return {};
  const doing = `reading ${path}`;
  const found = await gate.run(() =>
    client.ask(doing, (connection) =>
      absentIfNotFound(
        readJson<SentWorkload>(connection, path, { limit: longestAnswer, ...form }),
      ).catch(onlyOnce(doing)),
    ),
  );
  return found === "absent" ? {} : found;
}
