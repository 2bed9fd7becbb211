import { gunzipSync } from "node:zlib";
import type { V1Node, V1NodeCondition } from "@kubernetes/client-node";
import type { SurveyNodes } from "../repair/repairs.port.ts";
import type { NodeCondition, SurveyNode } from "../repair/survey.ts";
import { type AsSent, instantOf } from "./as-sent.ts";
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

  surveyed(): Promise<readonly SurveyNode[]> {
    return listed(this.#client, packedNodes);
  }
}

const packedNodes = collectionOf({
  title: "nodes",
  path: "/api/v1/nodes",
  query: {},
  form: { unpack: gunzipSync },
  start: "listed",
  itemOf: surveyNodeOf,
  uid: ({ uid }) => uid,
});

function surveyNodeOf(sent: AsSent<V1Node>): SurveyNode {
  const { conditions = [], nodeInfo } = sent.status ?? {};
  return {
    ...machineNodeOf(sent),
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
