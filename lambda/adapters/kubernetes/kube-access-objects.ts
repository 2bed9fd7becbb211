import { createHash } from "node:crypto";
import { ApiException, HttpMethod } from "@kubernetes/client-node";
import { productName } from "../../contract.ts";
import type { ClusterObject } from "../../domain/rights/cluster-object.ts";
import { type Duration, type Instant, later, minutes, seconds } from "../../domain/time.ts";
import { Fault, type FaultCode, faultOf } from "../../fault.ts";
import type { AccessObjects } from "../../ports/access-objects.ts";
import type { EksConnection } from "../eks/eks-connection.ts";
import type { KubeConnection } from "./connection/kube-connection.ts";
import { pathOf, titleOf } from "./objects/object-path.ts";
import { type PresentObject, readPresentObject } from "./objects/present-object-schema.ts";

/** How a cluster is reached, for whom, and how patient to be with it. */
export interface KubeAccessObjectsOptions {
  readonly connection: Pick<EksConnection, "ask">;
  /** The deployment, by a name that nobody else has. */
  readonly owner: string;
  readonly pause: (duration: Duration) => Promise<void>;
  readonly now: () => Instant;
  /** @default two minutes in all, ten seconds for an answer, five between two questions */
  readonly patience?: Patience;
}

/** How long a cluster is waited for. */
export interface Patience {
  /** For all that is asked of it together; whatever is asked after that is asked once. */
  readonly all: Duration;
  readonly answer: Duration;
  readonly rest: Duration;
}

interface Request {
  readonly method: HttpMethod;
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
  /** The refusals that say something of the object, and are no faults. */
  readonly meant?: readonly number[];
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

// An access entry is known to the cluster within seconds, now and then a minute, after EKS has it. What was applied may have
// to be removed after that, in what is left of the function's timeout.
const usualPatience: Patience = { all: minutes(2), answer: seconds(10), rest: seconds(5) };
const mostTries = 10;
const passing: readonly FaultCode[] = [
  "cluster.forbidden",
  "cluster.unauthorized",
  "cluster.unreachable",
];

const claims = `${productName}/owner-`;
const applied = "application/apply-patch+yaml";
const merged = "application/merge-patch+json";

/**
 * Access to an EKS cluster, written over the Kubernetes API.
 *
 * Every deployment that wants an object has an annotation at it, and the last of them to go takes it along. Whoever changes
 * claims names the version that he has seen, so that none of two is lost.
 */
export class KubeAccessObjects implements AccessObjects {
  readonly #options: KubeAccessObjectsOptions;
  readonly #claim: string;
  readonly #patience: Patience;
  readonly #patientUntil: Instant;

  constructor(options: KubeAccessObjectsOptions) {
    this.#options = options;
    this.#claim = `${claims}${createHash("sha256").update(options.owner).digest("hex").slice(0, 32)}`;
    this.#patience = options.patience ?? usualPatience;
    this.#patientUntil = later(options.now(), this.#patience.all);
  }

  /** @see https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
  async apply(object: ClusterObject): Promise<"changed" | "created"> {
    const path = `${pathOf(object)}?fieldManager=${productName}&force=true`;
    const request = { method: HttpMethod.PATCH, path, body: object.body, type: applied };
    const { status } = await this.#patiently(`applying ${titleOf(object)}`, request);
    return status === 201 ? "created" : "changed";
  }

  async own(object: ClusterObject): Promise<"claimed" | "gone"> {
    const annotations = { [this.#claim]: this.#options.owner };
    const doing = `claiming ${titleOf(object)}`;
    const { status } = await this.#patiently(doing, annotating(object, { annotations }, [404]));
    return status === 404 ? "gone" : "claimed";
  }

  async disown(object: ClusterObject): Promise<void> {
    const annotations = { [this.#claim]: null };
    const doing = `no longer claiming ${titleOf(object)}`;
    await this.#patiently(doing, annotating(object, { annotations }, [404]));
  }

  async remove(object: ClusterObject): Promise<void> {
    const doing = `removing ${titleOf(object)}`;
    for (let left = mostTries; left > 0; left -= 1) {
      const found = await this.#read(object, doing);
      if (found === "gone") return;
      const { status } = await this.#patiently(doing, this.#removal(object, found));
      if (status !== 409) return;
    }
    throw new Fault("cluster.refused", `${doing}: others kept writing it`);
  }

  async #read(object: ClusterObject, doing: string): Promise<PresentObject | "gone"> {
    const request = { method: HttpMethod.GET, path: pathOf(object), meant: [404] };
    const { status, body } = await this.#patiently(doing, request);
    return status === 404 ? "gone" : readPresentObject(doing, body);
  }

  /** What removes an object of which this much has been seen: as far as nobody else claims it. */
  #removal(object: ClusterObject, { version, annotations }: PresentObject): Request {
    const meant = [404, 409];
    const others = [...annotations].filter((key) => key.startsWith(claims) && key !== this.#claim);
    if (others.length > 0) {
      const metadata = { resourceVersion: version, annotations: { [this.#claim]: null } };
      return annotating(object, metadata, meant);
    }
    const body = { preconditions: { resourceVersion: version } };
    return { method: HttpMethod.DELETE, path: pathOf(object), body, meant };
  }

  /** A new access entry takes a while to be known: until then a caller is nobody, or may do nothing. */
  async #patiently(doing: string, request: Request): Promise<Answer> {
    const { connection, pause, now } = this.#options;
    const { answer, rest } = this.#patience;
    for (;;) {
      try {
        return await connection.ask(doing, (open) => send(open, request, answer));
      } catch (cause) {
        const { code } = faultOf(cause);
        if (!passing.includes(code) || now() >= this.#patientUntil) throw cause;
      }
      await pause(rest);
    }
  }
}

const annotating = (
  object: ClusterObject,
  metadata: object,
  meant: readonly number[],
): Request => ({
  method: HttpMethod.PATCH,
  path: `${pathOf(object)}?fieldManager=${productName}-claims`,
  body: { metadata },
  type: merged,
  meant,
});

async function send(
  connection: KubeConnection,
  request: Request,
  limit: Duration,
): Promise<Answer> {
  const { method, path, body, type = "application/json", meant = [] } = request;
  const { baseServer, httpApi } = connection.configuration({ limit });
  const context = baseServer.makeRequestContext(path, method);
  if (body !== undefined) {
    context.setHeaderParam("Content-Type", type);
    context.setBody(JSON.stringify(body));
  }
  const answer = await httpApi.send(context).toPromise();
  const { httpStatusCode: status, headers } = answer;
  const text = (await answer.body.binary()).toString();
  if (status < 300 || meant.includes(status)) return { status, body: text };
  throw new ApiException(status, "refused", text, headers);
}
