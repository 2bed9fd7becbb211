import { type NamespaceObject, namespaces } from "./core-resources.ts";
import { terminating } from "./kube-object.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import { refTo } from "./resource.ts";
import { allResources } from "./resources.ts";

/** Empties terminating namespaces, and removes them when they are empty. */
export class NamespaceEnd {
  readonly #machinery: Machinery;

  constructor(machinery: Machinery) {
    this.#machinery = machinery;
    reconcile(machinery, allResources, () => this.#work());
  }

  #work(): void {
    const { store } = this.#machinery;
    for (const namespace of store.list(namespaces).filter(terminating)) this.#empty(namespace);
  }

  #empty(namespace: NamespaceObject): void {
    const { store, deleter } = this.#machinery;
    const content = allResources
      .filter(({ namespaced }) => namespaced)
      .flatMap((resource) =>
        store.list(resource, namespace.metadata.name).map((object) => ({ resource, object })),
      );
    for (const { resource, object } of content) {
      if (!terminating(object)) deleter.tryDelete(resource, object);
    }
    if (content.length === 0) store.remove(refTo(namespaces, namespace));
  }
}
