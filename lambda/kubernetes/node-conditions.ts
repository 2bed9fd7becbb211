import type { V1Node, V1NodeCondition } from "@kubernetes/client-node";
import type { Clock } from "../base/clock.port.ts";
import type { NodeName } from "../base/ids.ts";
import { timestamp } from "../base/time.ts";
import type { NodeWrite } from "../drain/drain.port.ts";
import {
  type ConditionedNode,
  type LifecycleCondition,
  lifecycleReasons,
  lifecycleTypes,
  ownWords,
} from "../report/lifecycle-conditions.ts";
import type { NodeConditions } from "../report/report.port.ts";
import { nodePath } from "./api-path.ts";
import type { AsSent } from "./as-sent.ts";
import type { KubeClient } from "./kube-connection.ts";
import { absentIfNotFound, unlessChanged } from "./kube-fault.ts";
import { readJson, sendRequest } from "./send-request.ts";

type Condition = AsSent<V1NodeCondition>;

/** Writes the lifecycle conditions of nodes, as a patch of their status. */
export class KubeNodeConditions implements NodeConditions {
  readonly #client: KubeClient;
  readonly #clock: Clock;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async change(
    name: NodeName,
    wanted: (node: ConditionedNode) => readonly LifecycleCondition[],
  ): Promise<NodeWrite> {
    const path = nodePath(name);
    const found = await this.#client.ask(`reading node ${name}`, (connection) =>
      absentIfNotFound(readJson<AsSent<V1Node>>(connection, path)),
    );
    if (found === "absent") return "gone";
    const { metadata: { uid, resourceVersion, annotations = {} } = {}, status } = found;
    const { conditions = [] } = status ?? {};
    const own = firstOfEach(conditions.flatMap(ownOf));
    const others = conditions.filter((one) => ownOf(one).length === 0);
    const next = wanted({ annotations, own }).filter(({ type }) => isFree(type, others));
    if (isSame(next, own)) return "marked";
    const ours = next.map((one) => conditionOf(one, conditions, timestamp(this.#clock.now())));
    const body = {
      metadata: { uid, resourceVersion },
      status: { conditions: [...others, ...ours] },
    };
    const request = { method: "PATCH", path: `${path}/status`, body, type: merged } as const;
    return this.#client.ask(`writing conditions of node ${name}`, (connection) =>
      unlessChanged(sendRequest(connection, request), () => "marked" as const),
    );
  }
}

const merged = "application/merge-patch+json";

/** A kubelet may write any number of conditions of one type. */
const firstOfEach = (all: readonly LifecycleCondition[]): readonly LifecycleCondition[] =>
  lifecycleTypes.flatMap((type) => all.find((one) => one.type === type) ?? []);

const isFree = (type: string, others: readonly Condition[]): boolean =>
  others.every((one) => one.type !== type);

/** A condition of ours as it is sent: without a heartbeat, which would count as a report of the node itself. */
function conditionOf(
  one: LifecycleCondition,
  before: readonly Condition[],
  now: string,
): Condition {
  const { lastTransitionTime = now } = before.find(({ type }) => type === one.type) ?? {};
  return { ...one, status: "True", lastTransitionTime };
}

const isSame = (next: readonly LifecycleCondition[], own: readonly LifecycleCondition[]): boolean =>
  next.length === own.length &&
  next.every((one) =>
    own.some(({ type, message }) => type === one.type && message === one.message),
  );

/** A condition as one of ours; none if it is one of others. */
function ownOf({ type, reason, message = "" }: Condition): readonly LifecycleCondition[] {
  const ownType = lifecycleTypes.find((one) => one === type);
  const ownReason = lifecycleReasons.find((one) => one === reason);
  return ownType === undefined || ownReason === undefined || !message.startsWith(ownWords)
    ? []
    : [{ type: ownType, reason: ownReason, message }];
}
