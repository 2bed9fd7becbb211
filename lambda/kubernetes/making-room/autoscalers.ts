import type { V2CrossVersionObjectReference } from "@kubernetes/client-node";
import { sideBySide } from "../../base/side-by-side.ts";
import { seconds } from "../../base/time.ts";
import { ByOthers } from "../../making-room/by-others.ts";
import type { RoomRef, Scaler, Workload } from "../../making-room/workload.ts";
import { TtlCache } from "../../process/ttl-cache.ts";
import { groupPathIn } from "../api-path.ts";
import { type ListTools, partOf } from "../bounded-list.ts";
import { countingOf, countingPath, kinds } from "./counting.ts";
import { isWithoutKeda } from "./room-records.ts";
import { type SentWorkload, sentAt } from "./sent-workload.ts";

// Of larger namespaces nobody says which of them scales what.
const mostAutoscalers = 200;
const fewAtOnce = 5;
// Several workloads of a node are looked at side by side, and ask the same.
const fresh = seconds(1);

// Of other groups a kind of the same name is something else.
const apps = "apps/";

/** HorizontalPodAutoscalers, and the ScaledObjects of KEDA that keep some of them. */
export class Autoscalers {
  readonly #tools: ListTools;
  readonly #fresh: TtlCache<readonly Autoscaler[]>;
  readonly #scaledObjects: TtlCache<ScaledObject | "absent">;

  constructor(tools: ListTools) {
    this.#tools = tools;
    this.#fresh = new TtlCache(tools.clock, () => fresh);
    this.#scaledObjects = new TtlCache(tools.clock, () => fresh);
  }

  /** The HorizontalPodAutoscalers of a namespace, or only the known ones of a workload. One with far too many gets no room, and stops nobody else. */
  async in(namespace: string, known?: Workload["scalers"]): Promise<readonly Autoscaler[]> {
    const [only, ...others] = known ?? [];
    if (known !== undefined && only === undefined) return [];
    // Of a ScaledObject nobody knows which autoscaler it keeps.
    const isOne = others.length === 0 && only?.kind === "HorizontalPodAutoscaler";
    if (isOne) return this.#list(namespace, { fieldSelector: `metadata.name=${only.name}` });
    return this.#fresh.recall(namespace, () => this.#list(namespace, {}));
  }

  async #list(
    namespace: string,
    query: { readonly fieldSelector?: string },
  ): Promise<readonly Autoscaler[]> {
    const [group, plural] = kinds.HorizontalPodAutoscaler;
    const path = groupPathIn(group, namespace, plural);
    const { items, cut } = await partOf<SentWorkload, Autoscaler>(
      {
        path,
        query,
        pageSize: 25,
        most: mostAutoscalers,
        itemsOf: (sent) => [autoscalerOf(sent)],
      },
      this.#tools,
    );
    if (cut === "") return items;
    throw new ByOthers(`listing ${path}: ${cut}, so nobody looks which of them scales what`);
  }

  /** Those of them that set the count of a workload. */
  async of({ kind, name }: Target, all: readonly Autoscaler[]): Promise<readonly Scaler[]> {
    const own = all.filter(({ target }) => target.kind === kind && target.name === name);
    return sideBySide(own, fewAtOnce, (one) => this.#scalerOf(one));
  }

  /** The workload that a record is about: an autoscaler is recorded in its stead. */
  async targetOf(
    { kind, namespace, name, uid }: RoomRef,
    scalers: readonly Autoscaler[],
  ): Promise<Target> {
    if (kind === "Deployment" || kind === "ReplicaSet") return { kind, name };
    if (kind === "HorizontalPodAutoscaler") {
      const { target } = scalers.find((one) => one.uid === uid) ?? { target: noTarget };
      return target;
    }
    const scaledObject = await this.#scaledObject(namespace, name);
    return scaledObject === "absent" ? noTarget : scaledObject.target;
  }

  /** Forgets a workload's autoscalers, so that they are read again. */
  forget({ namespace, name }: Pick<Workload, "name" | "namespace">): void {
    this.#fresh.forget(namespace);
    this.#scaledObjects.forget(`${namespace}/${name}`);
  }

  /** The scaler of a workload's count: an autoscaler, or the ScaledObject that keeps it. */
  async #scalerOf({ keda, target: _, ...autoscaler }: Autoscaler): Promise<Scaler> {
    const { namespace, min } = autoscaler;
    const kept = keda === "" ? "absent" : await this.#scaledObject(namespace, keda);
    if (kept === "absent") return { ...autoscaler, state: "followed" };
    const { target: __, ...scaledObject } = kept;
    // Its autoscaler never has fewer than one.
    const state = min === Math.max(1, kept.min) ? "followed" : "behind";
    return { ...scaledObject, state };
  }

  /** Many autoscalers may name the same one as their owner. */
  #scaledObject(namespace: string, name: string): Promise<ScaledObject | "absent"> {
    return this.#scaledObjects.recall(`${namespace}/${name}`, async () => {
      // Anybody may name one as the owner of an autoscaler.
      const path = countingPath("ScaledObject", namespace, name);
      const sent = await sentAt(path, this.#tools).catch(noneOfKeda);
      return sent.metadata === undefined ? "absent" : scaledObjectOf(sent);
    });
  }
}

function noneOfKeda(cause: unknown): SentWorkload {
  if (isWithoutKeda(cause)) return {};
  throw cause;
}

const noTarget: Target = { kind: "Deployment", name: "" };

type Target = Pick<Workload, "kind" | "name">;

/** A HorizontalPodAutoscaler, as far as it counts here. */
export interface Autoscaler extends Omit<Scaler, "kind" | "state"> {
  readonly kind: "HorizontalPodAutoscaler";
  readonly target: Target;
  /** The ScaledObject that keeps it; empty if none. */
  readonly keda: string;
}

/** A ScaledObject, as far as it counts here. */
interface ScaledObject extends Omit<Scaler, "kind" | "state"> {
  readonly kind: "ScaledObject";
  readonly target: Target;
}

function autoscalerOf({ metadata = {}, spec = {} }: SentWorkload): Autoscaler {
  const { minReplicas: min = 1, maxReplicas: max = 1, scaleTargetRef: to } = spec;
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === "ScaledObject");
  return {
    ...countingOf("HorizontalPodAutoscaler", metadata),
    min,
    max,
    keda: owner?.name ?? "",
    target: targetIn(to),
  };
}

/** The defaults of KEDA. @see https://keda.sh/docs/latest/reference/scaledobject-spec/ */
function scaledObjectOf({ metadata, spec = {} }: SentWorkload): ScaledObject {
  const { minReplicaCount: min = 0, maxReplicaCount: max = 100, scaleTargetRef: to } = spec;
  return {
    ...countingOf("ScaledObject", metadata),
    min,
    max,
    target: targetIn({ kind: "Deployment", ...to }),
  };
}

/** Of kinds that no room is made for, nothing has the name. */
const targetIn = ({
  apiVersion = apps,
  kind,
  name = "",
}: Partial<V2CrossVersionObjectReference> = {}): Target =>
  (kind === "Deployment" || kind === "ReplicaSet") && apiVersion.startsWith(apps)
    ? { kind, name }
    : noTarget;
