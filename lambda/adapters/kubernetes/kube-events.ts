import { CoreV1Api, type KubernetesObject } from "@kubernetes/client-node";
import { productName } from "../../contract.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EksConnection } from "../eks/eks-connection.ts";

/** What happened to an object, in a word and in a sentence. */
export interface Told {
  readonly about: KubernetesObject;
  readonly reason: "NodeRoleMapped" | "NodeRoleNotMapped";
  readonly message: string;
}

/** Kubernetes Events, as `kubectl describe` shows them. */
export class KubeEvents {
  readonly #connection: Pick<EksConnection, "once">;
  readonly #clock: Pick<Clock, "now">;

  constructor(connection: Pick<EksConnection, "once">, clock: Pick<Clock, "now">) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Tells it once for each version of the object; work goes on where it cannot be told. */
  async tell({ about, reason, message }: Told): Promise<void> {
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
    await this.#connection
      .once((open) =>
        new CoreV1Api(open.configuration()).createNamespacedEvent({ namespace, body }),
      )
      .catch(() => undefined);
  }
}
