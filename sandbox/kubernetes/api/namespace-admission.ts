import { namespaces } from "../core-resources.ts";
import type { ObjectStore } from "../object-store.ts";
import { forbidden } from "../refusals.ts";
import type { ResourceCall } from "./call.ts";

/** Refuses to create an object in a namespace that does not exist or is terminating. */
export function admitCreation(
  store: ObjectStore,
  { info, resource }: ResourceCall,
  name: string,
): void {
  if (!resource.namespaced) return;
  const { namespace } = info;
  const { status } = store.get({ resource: namespaces, name: namespace });
  if (status.phase !== "Terminating") return;
  throw forbidden(resource, name, {
    why: `unable to create new content in namespace ${namespace} because it is being terminated`,
    causes: [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  });
}
