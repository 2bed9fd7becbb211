import type { V1ConfigMap } from "@kubernetes/client-node";
import { pathIn } from "../kubernetes/api-path.ts";
import type { AsSent } from "../kubernetes/as-sent.ts";
import type { KubeClient } from "../kubernetes/kube-connection.ts";
import { tryRefusal } from "../kubernetes/kube-fault.ts";
import { readJson, sendRequest } from "../kubernetes/send-request.ts";

const place = { name: "aws-auth", namespace: "kube-system" };
const mapsPath = pathIn(place.namespace, "configmaps");
const mapPath = pathIn(place.namespace, "configmaps", place.name);

export const awsAuthTitle = `ConfigMap ${place.namespace}/${place.name}`;

/** The map as the API server sends it. */
export type SentMap = AsSent<V1ConfigMap>;

/** The ConfigMap `kube-system/aws-auth`. */
export class AwsAuthMap {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Reads the map; where there is none, returns an empty map without a version. */
  read(): Promise<SentMap> {
    return this.#client.ask(`reading ${awsAuthTitle}`, async (connection): Promise<SentMap> => {
      try {
        return await readJson<SentMap>(connection, mapPath);
      } catch (cause) {
        if (tryRefusal(cause)?.code === 404) return { metadata: place };
        throw cause;
      }
    });
  }

  /** Writes the text that maps roles, if nobody wrote the map since it was read. */
  write(map: SentMap, mapRoles: string): Promise<SentMap | "changed"> {
    const body = { ...map, metadata: ownMetadata(map), data: { ...map.data, mapRoles } };
    return this.#client.ask(`writing ${awsAuthTitle}`, async (connection) => {
      try {
        const answer = await sendRequest(
          connection,
          map.metadata?.resourceVersion === undefined
            ? { method: "POST", path: mapsPath, body }
            : { method: "PUT", path: mapPath, body },
        );
        return Object(JSON.parse(answer.body));
      } catch (cause) {
        const code = tryRefusal(cause)?.code;
        if (code === 409 || code === 404) return "changed";
        throw cause;
      }
    });
  }
}

/**
 * The metadata to write. The API server keeps its own `managedFields` where a write has none.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#clearing-managedfields
 */
function ownMetadata({ metadata = {} }: SentMap): SentMap["metadata"] {
  const { managedFields: _, ...rest } = metadata;
  return rest;
}
