import { CoreV1Api, type V1ConfigMap } from "@kubernetes/client-node";
import type { KubeClient } from "../kubernetes/connection/kube-client.ts";
import type { KubeConnection } from "../kubernetes/connection/kube-connection.ts";
import { tryRefusal } from "../kubernetes/connection/kube-fault.ts";

const place = { name: "aws-auth", namespace: "kube-system" };

/** Where the map is, as `kubectl` would name it. */
export const awsAuthTitle = `ConfigMap ${place.namespace}/${place.name}`;

/** The ConfigMap `kube-system/aws-auth`, and the text of it that maps roles. */
export class AwsAuthMap {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** The map as it is now; an empty one that has no version when there is none. */
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

  /** Writes another text into a map that was read, if nobody wrote it since. */
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
