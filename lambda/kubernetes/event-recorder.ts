import { createHash } from "node:crypto";
import { productName } from "../base/contract.ts";
import { seconds } from "../base/time.ts";
import type { EventRecorder, EventToRecord, RecordedEvent } from "../report/report.port.ts";
import type { KubeClient } from "./kube-connection.ts";
import { kubeFault } from "./kube-fault.ts";
import { type KubeRequest, sendRequest } from "./send-request.ts";

// Nobody waits for an Event.
const limit = seconds(3);

/** Records Events of events.k8s.io/v1. Their names are derived from their content, so that a repeated pass finds them. */
export class KubeEventRecorder implements EventRecorder {
  readonly #client: Pick<KubeClient, "once">;

  constructor(client: Pick<KubeClient, "once">) {
    this.#client = client;
  }

  async record(event: EventToRecord, as: "change" | "new"): Promise<RecordedEvent> {
    const request = as === "new" ? creation(event) : change(event);
    try {
      const { status } = await this.#client.once((connection) =>
        sendRequest(connection, request, { limit }),
      );
      if (status === 409) return "there";
      return status === 404 ? "absent" : "recorded";
    } catch (cause) {
      throw kubeFault("recording an Event", cause);
    }
  }
}

const creation = ({ key, namespace, body }: EventToRecord): KubeRequest => ({
  method: "POST",
  path: pathIn(namespace),
  body: { ...body, metadata: { name: nameOf(key), namespace } },
  meant: [409],
});

const change = ({ key, namespace, body }: EventToRecord): KubeRequest => ({
  method: "PATCH",
  path: `${pathIn(namespace)}/${nameOf(key)}`,
  body,
  type: "application/merge-patch+json",
  meant: [404],
});

const pathIn = (namespace: string): string =>
  `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;

const nameOf = (key: string): string =>
  `${productName}.${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
