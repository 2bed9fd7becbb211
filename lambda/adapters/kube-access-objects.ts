import { ApiException, HttpMethod } from "@kubernetes/client-node";
import { productName } from "../contract.ts";
import type { ClusterObject } from "../domain/cluster-object.ts";
import { type Duration, type Instant, later, minutes, seconds } from "../domain/time.ts";
import { Fault, type FaultCode, faultOf } from "../fault.ts";
import type { AccessObjects } from "../ports.ts";
import type { EksConnection } from "./eks-connection.ts";
import type { KubeConnection } from "./kube-connection.ts";

/** The collections that access is made of; `{}` is the namespace. */
const collections: Readonly<Partial<Record<string, string>>> = {
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
  ValidatingAdmissionPolicy: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding:
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
};

/** How a cluster is reached, and how patient to be with it. */
export interface AccessWay {
  readonly connection: EksConnection;
  readonly pause: (duration: Duration) => Promise<void>;
  readonly now: () => Instant;
}

interface Request {
  readonly method: HttpMethod;
  readonly path: string;
  readonly body?: string;
}

// An access entry is known to the cluster within seconds, now and then a minute, after EKS has it.
const rest = seconds(5);
// Of the five minutes that the function has: what was applied may have to be removed after that.
const patience = minutes(2);
const answerLimit = seconds(10);
const passing: readonly FaultCode[] = [
  "cluster.forbidden",
  "cluster.unauthorized",
  "cluster.unreachable",
];

/** Access to an EKS cluster, written over the Kubernetes API. */
export class KubeAccessObjects implements AccessObjects {
  readonly #way: AccessWay;
  readonly #patientUntil: Instant;

  constructor(way: AccessWay) {
    this.#way = way;
    this.#patientUntil = later(way.now(), patience);
  }

  /** @see https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
  async apply(object: ClusterObject): Promise<"changed" | "created"> {
    const query = `fieldManager=${productName}&force=true`;
    const path = `${pathOf(object)}?${query}`;
    const body = JSON.stringify(object.body);
    const request = { method: HttpMethod.PATCH, path, body };
    const status = await this.#patiently(`applying ${titleOf(object)}`, request);
    return status === 201 ? "created" : "changed";
  }

  async remove(object: ClusterObject): Promise<void> {
    const request = { method: HttpMethod.DELETE, path: pathOf(object) };
    await this.#patiently(`removing ${titleOf(object)}`, request);
  }

  /** A new access entry takes a while to be known: until then a caller is nobody, or may do nothing. */
  async #patiently(doing: string, request: Request): Promise<number> {
    const { connection, pause, now } = this.#way;
    for (;;) {
      try {
        return await connection.ask(doing, (open) => send(open, request));
      } catch (cause) {
        const { code } = faultOf(cause);
        if (!passing.includes(code) || now() >= this.#patientUntil) throw cause;
      }
      await pause(rest);
    }
  }
}

async function send(connection: KubeConnection, { method, path, body }: Request): Promise<number> {
  const { baseServer, httpApi } = connection.configuration({ limit: answerLimit });
  const context = baseServer.makeRequestContext(path, method);
  if (body !== undefined) {
    context.setHeaderParam("Content-Type", "application/apply-patch+yaml");
    context.setBody(body);
  }
  const { httpStatusCode: status, headers, body: answer } = await httpApi.send(context).toPromise();
  const text = (await answer.binary()).toString();
  if (status < 300 || (method === HttpMethod.DELETE && status === 404)) return status;
  throw new ApiException(status, "refused", text, headers);
}

function pathOf({ kind, namespace, name }: ClusterObject): string {
  const collection = collections[kind];
  if (collection === undefined)
    throw new Fault("internal.unexpected", `giving access: ${kind} ${name} gives none`);
  return `${collection.replace("{}", namespace)}/${name}`;
}

const titleOf = ({ kind, namespace, name }: ClusterObject): string =>
  `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
