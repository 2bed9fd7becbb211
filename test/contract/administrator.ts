import type {
  ApiConstructor,
  ApiType,
  Configuration,
  KubernetesObject,
} from "@kubernetes/client-node";
import type { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { configurationOf } from "../support/configuration-of.ts";
import { ask, type Question, type Reply } from "./ask.ts";

/** The collection of each kind in manifests; `{}` stands for the namespace. */
const collections: Readonly<Record<string, string>> = {
  ConfigMap: "/api/v1/namespaces/{}/configmaps",
  DaemonSet: "/apis/apps/v1/namespaces/{}/daemonsets",
  Namespace: "/api/v1/namespaces",
  Node: "/api/v1/nodes",
  PersistentVolume: "/api/v1/persistentvolumes",
  PersistentVolumeClaim: "/api/v1/namespaces/{}/persistentvolumeclaims",
  Pod: "/api/v1/namespaces/{}/pods",
  PodDisruptionBudget: "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
  ValidatingWebhookConfiguration:
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  VolumeAttachment: "/apis/storage.k8s.io/v1/volumeattachments",
};

const atOnce = 20;

/** Sets the scene: makes, changes and removes what a case needs. */
export class Administrator {
  readonly #connection: KubeConnection;

  constructor(connection: KubeConnection) {
    this.#connection = connection;
  }

  /** A typed client of the API. */
  api<T extends ApiType>(type: ApiConstructor<T>): T {
    return new type(configurationOf(this.#connection) as Configuration);
  }

  /** Sends any request, and returns any answer. */
  ask(question: Question): Promise<Reply> {
    return ask(this.#connection, question);
  }

  /** Makes objects. */
  async make(...objects: readonly KubernetesObject[]): Promise<void> {
    for (let from = 0; from < objects.length; from += atOnce) {
      const some = objects.slice(from, from + atOnce);
      await Promise.all(
        some.map((body) => this.#done({ method: "POST", path: collectionOf(body), body })),
      );
    }
  }

  /** Changes an object, or its status, by a merge patch. */
  async change(object: KubernetesObject, patch: object, subresource = ""): Promise<void> {
    const path = `${pathOf(object)}${subresource}`;
    const type = "application/merge-patch+json";
    await this.#done({ method: "PATCH", path, body: patch, type });
  }

  /** Removes an object, by default with its own grace. */
  async remove(object: KubernetesObject, gracePeriodSeconds?: number): Promise<void> {
    const body = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    await this.#done({ method: "DELETE", path: pathOf(object), body });
  }

  async #done(question: Question): Promise<void> {
    const { status, body } = await this.ask(question);
    if (status < 300) return;
    throw new Error(`${question.method} ${question.path}: HTTP ${status} ${body}`);
  }
}

function collectionOf({ kind = "", metadata }: KubernetesObject): string {
  const collection = collections[kind];
  if (collection === undefined) throw new Error(`no collection of ${kind}`);
  return collection.replace("{}", metadata?.namespace ?? "");
}

const pathOf = (object: KubernetesObject): string =>
  `${collectionOf(object)}/${object.metadata?.name}`;
