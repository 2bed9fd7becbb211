import type { V1Pod } from "@kubernetes/client-node";
import type { Clock } from "../base/clock.port.ts";
import type { NodeName } from "../base/ids.ts";
import { seconds } from "../base/time.ts";
import { type Host, sumOf } from "../drain/node-info.ts";
import { isTerminal } from "../drain/pod-class.ts";
import type { ReschedulablePod } from "../drain/reschedulable-pod.ts";
import type { Resources } from "../drain/resources.ts";
import { Semaphore } from "../http/semaphore.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import type { AsSent } from "./as-sent.ts";
import { type ListTools, partOf } from "./bounded-list.ts";
import { listed } from "./collection.ts";
import type { KubeClient } from "./kube-connection.ts";
import { hostsAs } from "./node-infos.ts";
import { nodeOf } from "./node-of.ts";
import { podOf } from "./pod-of.ts";
import { requestsOf } from "./reschedulable-pod-of.ts";
import { fewRequests } from "./trimmed.ts";

const mostPodsOnNode = 2000;
// So many answers are in memory at once, whatever they are about.
const atOnce = 6;
// Several workloads of a node are looked at side by side, and ask the same.
const freshPods = seconds(5);

/** The nodes of a cluster and what their pods ask for, over the Kubernetes API. */
export class KubeHosts {
  /** Other bounded reads of a cluster pass the same gate. */
  readonly tools: ListTools & { readonly clock: Clock };
  readonly #asked: TtlCache<Resources | "unread">;

  constructor(client: KubeClient, clock: Clock) {
    this.tools = { client, clock, gate: new Semaphore(() => atOnce) };
    this.#asked = new TtlCache(clock, () => freshPods);
  }

  hosts(): Promise<readonly Host[]> {
    return listed(this.tools.client, hostsAs(nodeOf));
  }

  asked(node: NodeName): Promise<Resources | "unread"> {
    return this.#asked.recall(node, async () => {
      const { items, cut } = await partOf<V1Pod, Pick<ReschedulablePod, "requests">>(
        {
          path: "/api/v1/pods",
          query: { fieldSelector: `spec.nodeName=${node}` },
          pageSize: 500,
          most: mostPodsOnNode,
          itemsOf: (sent) => requestsIn(sent),
        },
        this.tools,
      );
      return cut === "" ? sumOf(items) : "unread";
    });
  }
}

const requestsIn = (sent: AsSent<V1Pod>) =>
  isTerminal(podOf(sent))
    ? []
    : [{ requests: fewRequests(requestsOf(sent.spec ?? { containers: [] })) }];
