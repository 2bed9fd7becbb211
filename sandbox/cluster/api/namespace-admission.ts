import { namespaces } from "../core-resources.ts";
import type { ObjectStore } from "../object-store.ts";
import { forbidden } from "../refusals.ts";
import type { Call } from "./call.ts";

/** Lets nothing be made in a namespace that is not there, or is on its way out. */
export function admitCreation(store: ObjectStore, { info, resource }: Call, name: string): void {
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
