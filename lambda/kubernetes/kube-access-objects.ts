import { createHash } from "node:crypto";
import { type Clock, sleepFor } from "../base/clock.port.ts";
import { ownerAnnotations, productName } from "../base/contract.ts";
import { Fault, type FaultCode, faultOf } from "../base/fault.ts";
import { type Duration, type Instant, later, minutes, seconds } from "../base/time.ts";
import type { ClusterObject } from "../rights/cluster-object.ts";
import type { AccessObjects } from "../rights/rights.port.ts";
import { pathOf, titleOf } from "./api-path.ts";
import type { KubeClient } from "./kube-connection.ts";
import { onlyOnce } from "./kube-fault.ts";
import { type PresentObject, readPresentObject } from "./present-object-schema.ts";
import { type KubeAnswer, type KubeRequest, sendRequest } from "./send-request.ts";

/** The client of a cluster, the deployment that it works for, and how long to wait for the cluster. */
export interface KubeAccessObjectsOptions {
  readonly client: Pick<KubeClient, "ask">;
  /** The name of the deployment, which no other deployment has. */
  readonly owner: string;
  readonly clock: Clock;
  /** @default two minutes in all, seven seconds for an answer, five seconds between two requests */
  readonly limits?: RetryLimits;
}

/** The limits of the retries of a request. */
export interface RetryLimits {
  /** Counted from the start; a later request is sent only once. */
  readonly all: Duration;
  readonly answer: Duration;
  readonly rest: Duration;
}

// The API server learns of a new right within seconds, sometimes within a minute. After that there must be time left
// before the function's timeout to remove what was applied.
const usualLimits: RetryLimits = { all: minutes(2), answer: seconds(7), rest: seconds(5) };
const mostTries = 10;
const passing: readonly FaultCode[] = [
  "cluster.forbidden",
  "cluster.unauthorized",
  "cluster.unreachable",
];

const applied = "application/apply-patch+yaml";
const merged = "application/merge-patch+json";

/**
 * The objects that give access to a cluster, over the Kubernetes API.
 *
 * Each deployment that wants an object names itself as an owner in an annotation. The last owner to go removes
 * the object. Each removal names the version that it has seen, so that it fails when another deployment becomes an owner of the object
 * at the same time.
 */
export class KubeAccessObjects implements AccessObjects {
  readonly #options: KubeAccessObjectsOptions;
  readonly #ownerKey: string;
  readonly #limits: RetryLimits;
  readonly #retriesUntil: Instant;

  constructor(options: KubeAccessObjectsOptions) {
    this.#options = options;
    this.#ownerKey = `${ownerAnnotations}${createHash("sha256").update(options.owner).digest("hex").slice(0, 32)}`;
    this.#limits = options.limits ?? usualLimits;
    this.#retriesUntil = later(options.clock.now(), this.#limits.all);
  }

  /** @see https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
  async apply(object: ClusterObject): Promise<"changed" | "created"> {
    const path = `${pathOf(object)}?fieldManager=${productName}&force=true`;
    const request = { method: "PATCH", path, body: object.body, type: applied } as const;
    const { status } = await this.#withRetries(`applying ${titleOf(object)}`, request);
    return status === 201 ? "created" : "changed";
  }

  async claims(object: ClusterObject): Promise<readonly string[]> {
    const found = await this.#read(object, `reading ${titleOf(object)}`);
    if (found === "gone") return [];
    return [...found.annotations].flatMap(([key, claim]) =>
      key.startsWith(ownerAnnotations) ? [claim] : [],
    );
  }

  async own(object: ClusterObject): Promise<"owned" | "gone"> {
    const { status } = await this.#setOwner(object, "claiming", this.#options.owner);
    return status === 404 ? "gone" : "owned";
  }

  async disown(object: ClusterObject): Promise<void> {
    await this.#setOwner(object, "no longer claiming", null);
  }

  async remove(object: ClusterObject): Promise<void> {
    const doing = `removing ${titleOf(object)}`;
    for (let left = mostTries; left > 0; left -= 1) {
      const found = await this.#read(object, doing);
      if (found === "gone") return;
      const { status } = await this.#withRetries(doing, this.#removal(object, found));
      if (status !== 409) return;
    }
    throw new Fault("cluster.refused", `${doing}: others kept writing it`);
  }

  #setOwner(object: ClusterObject, doing: string, owner: string | null): Promise<KubeAnswer> {
    const request = annotating(object, { annotations: { [this.#ownerKey]: owner } }, [404]);
    return this.#withRetries(`${doing} ${titleOf(object)}`, request);
  }

  async #read(object: ClusterObject, doing: string): Promise<PresentObject | "gone"> {
    const request = { method: "GET", path: pathOf(object), meant: [404] } as const;
    const { status, body } = await this.#withRetries(doing, request);
    return status === 404 ? "gone" : readPresentObject(doing, body);
  }

  /** The request that removes an object if nobody else owns it, or else only our annotation. */
  #removal(object: ClusterObject, { version, annotations }: PresentObject): KubeRequest {
    const meant = [404, 409];
    const isOfOther = (key: string) => key.startsWith(ownerAnnotations) && key !== this.#ownerKey;
    if ([...annotations.keys()].some(isOfOther)) {
      const metadata = { resourceVersion: version, annotations: { [this.#ownerKey]: null } };
      return annotating(object, metadata, meant);
    }
    const body = { preconditions: { resourceVersion: version } };
    return { method: "DELETE", path: pathOf(object), body, meant };
  }

  /** Tries again while the API server does not know this caller yet, or does not know its rights. */
  async #withRetries(doing: string, request: KubeRequest): Promise<KubeAnswer> {
    const { client, clock } = this.#options;
    const { answer, rest } = this.#limits;
    for (;;) {
      try {
        return await client.ask(doing, (connection) =>
          sendRequest(connection, request, { limit: answer }).catch(onlyOnce(doing)),
        );
      } catch (cause) {
        const { code } = faultOf(cause);
        if (!passing.includes(code) || clock.now() >= this.#retriesUntil) throw cause;
      }
      await sleepFor(rest, clock);
    }
  }
}

const annotating = (
  object: ClusterObject,
  metadata: object,
  meant: readonly number[],
): KubeRequest => ({
  method: "PATCH",
  path: `${pathOf(object)}?fieldManager=${productName}-claims`,
  body: { metadata },
  type: merged,
  meant,
});
