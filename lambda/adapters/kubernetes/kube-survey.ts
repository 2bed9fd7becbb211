import { gunzipSync } from "node:zlib";
import { HttpMethod, type V1Node, type V1NodeCondition } from "@kubernetes/client-node";
import type { NodeCondition, SurveyNode } from "../../domain/repair/survey.ts";
import type { SurveyNodes } from "../../ports/repairs.ts";
import type { KubeClient } from "./connection/kube-client.ts";
import { sendRequest } from "./connection/send-request.ts";
import { type AsSent, instantOf } from "./objects/as-sent.ts";
import { instanceOf, nodeOf } from "./objects/node-of.ts";
import { itemsIn, type PageSent } from "./objects/page-sent.ts";
import { type Collection, pagesOf } from "./watch/collection.ts";

const { GET } = HttpMethod;
const pageSize = 500;

/** The nodes of a cluster with their conditions. A node is 15 kB long, so they come compressed, and no page is kept whole. */
export class KubeSurvey implements SurveyNodes {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  surveyed(): Promise<readonly SurveyNode[]> {
    return this.#client.ask("listing nodes", async (connection) => {
      const found: SurveyNode[] = [];
      for await (const { items } of pagesOf(packedNodes, connection)) found.push(...items);
      return found;
    });
  }
}

const packedNodes: Pick<Collection<SurveyNode>, "page"> = {
  async page(connection, next) {
    const query = new URLSearchParams({ limit: String(pageSize) });
    if (next !== "") query.set("continue", next);
    const request = { method: GET, path: `/api/v1/nodes?${query}`, unpack: gunzipSync };
    const { body } = await sendRequest(connection, request);
    const page: PageSent<V1Node> = Object(JSON.parse(body));
    const { resourceVersion = "", continue: rest = "" } = page.metadata ?? {};
    return { items: itemsIn("nodes", page).map(surveyNodeOf), resourceVersion, next: rest };
  },
};

/** Reads a node of the Kubernetes API with what a repair asks of it. */
export function surveyNodeOf(sent: AsSent<V1Node>): SurveyNode {
  const node = nodeOf(sent);
  const { conditions = [], nodeInfo } = sent.status ?? {};
  return {
    ...node,
    instance: instanceOf(node.providerId),
    created: instantOf(sent.metadata?.creationTimestamp),
    conditions: conditions.map(conditionOf),
    bootId: nodeInfo?.bootID ?? "",
  };
}

const conditionOf = ({
  type,
  status,
  reason = "",
  message = "",
  lastTransitionTime,
}: AsSent<V1NodeCondition>): NodeCondition => ({
  type,
  status: status === "True" || status === "False" ? status : "Unknown",
  reason,
  message,
  since: instantOf(lastTransitionTime),
});
