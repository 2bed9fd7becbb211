import { namespaces } from "./core-resources.ts";
import { terminating } from "./kube-object.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import { refTo } from "./resource.ts";
import { allResources } from "./resources.ts";

/** Empties terminating namespaces, and removes them when they are empty. */
export function endNamespaces(machinery: Machinery): void {
  const { store, deleter } = machinery;
  const namespaced = allResources.filter((resource) => resource.namespaced);
  reconcile(machinery, allResources, () => {
    for (const namespace of store.list(namespaces).filter(terminating)) {
      const content = namespaced.flatMap((resource) =>
        store.list(resource, namespace.metadata.name).map((object) => ({ resource, object })),
      );
      for (const { resource, object } of content)
        if (!terminating(object)) deleter.tryDelete(resource, object);
      if (content.length === 0) store.remove(refTo(namespaces, namespace));
    }
  });
}
