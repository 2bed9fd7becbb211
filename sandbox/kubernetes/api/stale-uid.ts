import { type Json, textOf } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import { invalid } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import { ApiError } from "../status.ts";

/** The error for a UID that is not the object's; patches and updates get different texts. */
export function staleUid(
  resource: Resource,
  { metadata }: KubeObject,
  { method, uid }: { readonly method: string; readonly uid: Json },
): ApiError {
  const { name, namespace } = metadata;
  if (method === "PATCH") {
    const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
    const cause = { reason: "FieldValueInvalid", message, field: "metadata.uid" };
    return invalid(resource, name, [cause, cause]);
  }
  const key = ["/registry", resource.plural, namespace, name].filter(Boolean).join("/");
  const precondition = `Precondition failed: UID in precondition: ${textOf(uid)}, UID in object meta: ${metadata.uid}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${precondition}`;
  return new ApiError({
    code: 409,
    message: `Operation cannot be fulfilled on ${resource.plural} "${name}": ${why}`,
    reason: "Conflict",
    details: { name, group: resource.group || undefined, kind: resource.plural },
  });
}
