import type { V1Pod, V1PodSpec, V1PodStatus, V1Volume } from "@kubernetes/client-node";
import { between, type Duration } from "../../lambda/base/time.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { Resident } from "../../lambda/forecast/resident.ts";
import { type AsSent, instantOf } from "../../lambda/kubernetes/as-sent.ts";
import { seekerOf } from "../../lambda/kubernetes/seeker-of.ts";

/** Reads a pod of the Kubernetes API; nothing is known of the volumes behind its claims yet. */
export function residentOf(sent: AsSent<V1Pod>): Resident {
  const seeker = seekerOf(sent);
  const spec: AsSent<V1PodSpec> = sent.spec ?? { containers: [] };
  return {
    ...seeker,
    localData: (spec.volumes ?? []).flatMap(localDataIn),
    attached: [],
    life:
      spec.restartPolicy === "Never" || spec.restartPolicy === "OnFailure"
        ? "until it ends"
        : "for ever",
    readyAfter: readyAfter(seeker.pod, sent.status ?? {}),
  };
}

// Certificates, tokens and the like are mounted from the host too, and are no data of the pod.
const isHarmless = /^\/(?:etc|dev|proc|sys|run|var\/run|lib\/modules|usr)(?:\/|$)/;

function localDataIn({ name, emptyDir, hostPath }: AsSent<V1Volume>): readonly string[] {
  if (emptyDir !== undefined) return [`emptyDir ${name}`];
  return hostPath === undefined || isHarmless.test(hostPath.path)
    ? []
    : [`hostPath ${hostPath.path}`];
}

/** How long the pod took to become ready; a container that was started again tells nothing. */
function readyAfter(
  pod: Pod,
  { conditions = [], containerStatuses = [] }: AsSent<V1PodStatus>,
): Duration | "unknown" {
  const ready = conditions.find(({ type, status }) => type === "Ready" && status === "True");
  const isFirst = containerStatuses.every(({ restartCount }) => restartCount === 0);
  if (ready?.lastTransitionTime === undefined || !isFirst) return "unknown";
  return between(pod.created, instantOf(ready.lastTransitionTime));
}
