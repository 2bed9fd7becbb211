import { HttpMethod, type KubernetesObject } from "@kubernetes/client-node";
import { productName } from "../../contract.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KubeClient } from "./connection/kube-client.ts";
import { sendRequest } from "./connection/send-request.ts";
import type { AsSent } from "./objects/as-sent.ts";
import { pathIn } from "./objects/core-path.ts";

/** What happened to an object. */
export interface ObjectEvent {
  readonly about: AsSent<KubernetesObject>;
  readonly reason: "NodeRoleMapped" | "NodeRoleNotMapped";
  readonly message: string;
}

/** Kubernetes Events, as `kubectl describe` shows them. */
export class KubeEvents {
  readonly #client: Pick<KubeClient, "once">;
  readonly #clock: Pick<Clock, "now">;

  constructor(client: Pick<KubeClient, "once">, clock: Pick<Clock, "now">) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Records an event, once for each version of its object; a failure to do so is ignored. */
  async record({ about, reason, message }: ObjectEvent): Promise<void> {
    const { name = "", namespace = "default", uid, resourceVersion = "0" } = about.metadata ?? {};
    const { apiVersion = "v1", kind = "ConfigMap" } = about;
    const at = new Date(this.#clock.now());
    const body = {
      metadata: { name: `${name}.${resourceVersion}.${reason.toLowerCase()}`, namespace },
      involvedObject: { apiVersion, kind, name, namespace, resourceVersion, ...(uid && { uid }) },
      reason,
      message,
      type: reason === "NodeRoleMapped" ? "Normal" : "Warning",
      source: { component: productName },
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    };
    await this.#client
      .once((connection) =>
        sendRequest(connection, {
          method: HttpMethod.POST,
          path: pathIn(namespace, "events"),
          body,
        }),
      )
      .catch(() => undefined);
  }
}
