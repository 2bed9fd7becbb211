import { gunzipSync } from "node:zlib";
import type { MachineNode } from "../drain/node.ts";
import type { SurveyNodes } from "../registrations/kubernetes.port.ts";
import { listed } from "./collection.ts";
import { collectionOf } from "./collections.ts";
import type { KubeClient } from "./kube-client.ts";
import { machineNodeOf } from "./node-of.ts";

/** The nodes of a cluster with their conditions. A node is 15 kB long, so they come compressed, and no page is kept whole. */
export class KubeSurvey implements SurveyNodes {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  surveyed(): Promise<readonly MachineNode[]> {
    return listed(this.#client, packedNodes);
  }
}

const packedNodes = collectionOf({
  title: "nodes",
  path: "/api/v1/nodes",
  query: {},
  form: { unpack: gunzipSync },
  start: "listed",
  itemOf: machineNodeOf,
  uid: ({ uid }) => uid,
});
