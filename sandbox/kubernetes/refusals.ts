import type { Resource } from "./resource.ts";
import { ApiError } from "./status.ts";

type ResourceKind = Pick<Resource, "group" | "plural" | "kind">;

const qualified = ({ group }: ResourceKind, word: string): string =>
  group ? `${word}.${group}` : word;
/** The details of a Status, in the order of the real ones. */
const about = (name: string | undefined, { group }: ResourceKind, kind: string) => ({
  name,
  group: group || undefined,
  kind,
});

/** There is no such object. */
export const notFound = (resource: ResourceKind, name: string): ApiError =>
  new ApiError({
    code: 404,
    message: `${qualified(resource, resource.plural)} "${name}" not found`,
    reason: "NotFound",
    details: about(name, resource, resource.plural),
  });

/** There is no such kind of object. */
export const unknownResource = (): ApiError =>
  new ApiError({
    code: 404,
    message: "the server could not find the requested resource",
    reason: "NotFound",
    details: {},
  });

/** The name is taken. */
export const alreadyExists = (resource: ResourceKind, name: string): ApiError =>
  new ApiError({
    code: 409,
    message: `${qualified(resource, resource.plural)} "${name}" already exists`,
    reason: "AlreadyExists",
    details: about(name, resource, resource.plural),
  });

/** Another client changed the object in between. */
export const modified = (resource: ResourceKind, name: string): ApiError =>
  new ApiError({
    code: 409,
    message: `Operation cannot be fulfilled on ${qualified(resource, resource.plural)} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
    reason: "Conflict",
    details: about(name, resource, resource.plural),
  });

/** A deletion's precondition fails; the real server names the kind here, not the resource. */
export const preconditionFailed = (resource: ResourceKind, name: string, why: string): ApiError =>
  new ApiError({
    code: 409,
    message: `Operation cannot be fulfilled on ${qualified(resource, resource.kind)} "${name}": ${why}`,
    reason: "Conflict",
    details: about(name, resource, resource.kind),
  });

/** The request makes no sense. */
export const badRequest = (message: string): ApiError =>
  new ApiError({ code: 400, message, reason: "BadRequest" });

/** The server failed; the Status has a message but no `reason`. */
export const internal = (message: string): ApiError => new ApiError({ code: 500, message });

/** The resource exists, but does not allow this method. */
export const methodNotAllowed = (): ApiError =>
  new ApiError({
    code: 405,
    message: "the server does not allow this method on the requested resource",
    reason: "MethodNotAllowed",
    details: {},
  });

/** The object would break the rules of its kind; the sandbox lists no causes. */
export const invalid = (resource: Kind, name: string, why: string): ApiError =>
  new ApiError({
    code: 422,
    message: `${qualified(resource, resource.kind)} "${name}" is invalid: ${why}`,
    reason: "Invalid",
    details: about(name, resource, resource.kind),
  });

/** The user lacks the permission. */
export const forbidden = (resource: Kind, name: string, why: string): ApiError =>
  new ApiError({
    code: 403,
    message: `${qualified(resource, resource.plural)} ${name ? `"${name}" ` : ""}is forbidden: ${why}`,
    reason: "Forbidden",
    details: about(name || undefined, resource, resource.plural),
  });

/** The server no longer has the history that the request asks for. */
export const expired = (message: string): ApiError =>
  new ApiError({ code: 410, message, reason: "Expired" });
