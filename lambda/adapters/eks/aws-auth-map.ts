import { CoreV1Api, type V1ConfigMap } from "@kubernetes/client-node";
import type { KubeClient } from "../kubernetes/connection/kube-client.ts";
import type { KubeConnection } from "../kubernetes/connection/kube-connection.ts";
import { tryRefusal } from "../kubernetes/connection/kube-fault.ts";

const place = { name: "aws-auth", namespace: "kube-system" };

/** The map as messages name it. */
export const awsAuthTitle = `ConfigMap ${place.namespace}/${place.name}`;

/** The ConfigMap `kube-system/aws-auth`. */
export class AwsAuthMap {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Reads the map; where there is none, returns an empty map without a version. */
  read(): Promise<V1ConfigMap> {
    return this.#client.ask(`reading ${awsAuthTitle}`, async (connection) => {
      try {
        return await core(connection).readNamespacedConfigMap(place);
      } catch (cause) {
        if (tryRefusal(cause)?.code === 404) return { metadata: place };
        throw cause;
      }
    });
  }

  /** Writes the text that maps roles, if nobody wrote the map since it was read. */
  write(map: V1ConfigMap, mapRoles: string): Promise<V1ConfigMap | "changed"> {
    const body = { ...map, data: { ...map.data, mapRoles } };
    return this.#client.ask(`writing ${awsAuthTitle}`, async (connection) => {
      try {
        return map.metadata?.resourceVersion === undefined
          ? await core(connection).createNamespacedConfigMap({ ...place, body })
          : await core(connection).replaceNamespacedConfigMap({ ...place, body });
      } catch (cause) {
        const code = tryRefusal(cause)?.code;
        if (code === 409 || code === 404) return "changed";
        throw cause;
      }
    });
  }
}

const core = (connection: KubeConnection): CoreV1Api => new CoreV1Api(connection.configuration());
