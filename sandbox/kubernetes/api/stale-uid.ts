import type { Json } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import { invalid } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import type { ApiError } from "../status.ts";

/** The error for a patch with a UID that is not the object's; the server gives its cause twice. */
export function staleUid(resource: Resource, { metadata }: KubeObject, uid: Json): ApiError {
  const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
  const cause = { reason: "FieldValueInvalid", message, field: "metadata.uid" };
  return invalid(resource, metadata.name, [cause, cause]);
}
