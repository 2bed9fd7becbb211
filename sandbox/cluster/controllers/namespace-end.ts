import { namespaces } from "../kinds/core-resources.ts";
import { terminating } from "../kinds/kube-object.ts";
import type { NamespaceObject } from "../kinds/namespace.ts";
import { refTo } from "../kinds/resource.ts";
import { allResources } from "../kinds/resources.ts";
import { type Machinery, reconcile } from "./machinery.ts";

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
