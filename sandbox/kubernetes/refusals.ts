import type { Resource } from "./resource.ts";
import { ApiError } from "./status.ts";

type ResourceKind = Pick<Resource, "group" | "plural" | "kind">;

const qualified = ({ group }: ResourceKind, word: string): string =>
  group ? `${word}.${group}` : word;

/** A refusal that is about an object, which it calls by the resource or, here and there, by the kind. */
function about(
  [code, reason]: readonly [number, string],
  resource: ResourceKind,
  name: string,
  says: (what: string) => string,
  kind = resource.plural,
): ApiError {
  const details = { name: name || undefined, group: resource.group || undefined, kind };
  const what = `${qualified(resource, kind)}${name ? ` "${name}"` : ""}`;
  return new ApiError({ code, message: says(what), reason, details });
}

/** There is no such object. */
export const notFound = (resource: ResourceKind, name: string): ApiError =>
  about([404, "NotFound"], resource, name, (what) => `${what} not found`);

/** The name is taken. */
export const alreadyExists = (resource: ResourceKind, name: string): ApiError =>
  about([409, "AlreadyExists"], resource, name, (what) => `${what} already exists`);

const conflict = [409, "Conflict"] as const;

/** Another client changed the object in between. */
export const modified = (resource: ResourceKind, name: string): ApiError =>
  about(
    conflict,
    resource,
    name,
    (what) =>
      `Operation cannot be fulfilled on ${what}: the object has been modified; please apply your changes to the latest version and try again`,
  );

/** A deletion's precondition fails; the real server names the kind here, not the resource. */
export const preconditionFailed = (resource: ResourceKind, name: string, why: string): ApiError =>
  about(
    conflict,
    resource,
    name,
    (what) => `Operation cannot be fulfilled on ${what}: ${why}`,
    resource.kind,
  );

/** The object would break the rules of its kind; the sandbox lists no causes. */
export const invalid = (resource: ResourceKind, name: string, why: string): ApiError =>
  about([422, "Invalid"], resource, name, (what) => `${what} is invalid: ${why}`, resource.kind);

/** The user lacks the permission. */
export const forbidden = (resource: ResourceKind, name: string, why: string): ApiError =>
  about([403, "Forbidden"], resource, name, (what) => `${what} is forbidden: ${why}`);

const plain = (code: number, message: string, reason?: string, details?: object): ApiError =>
  new ApiError({ code, message, reason, details });

/** There is no such kind of object. */
export const unknownResource = (): ApiError =>
  plain(404, "the server could not find the requested resource", "NotFound", {});

/** The request makes no sense. */
export const badRequest = (message: string): ApiError => plain(400, message, "BadRequest");

/** The server failed; the Status has a message but no `reason`. */
export const internal = (message: string): ApiError => plain(500, message);

/** The resource exists, but does not allow this method. */
export const methodNotAllowed = (): ApiError =>
  plain(
    405,
    "the server does not allow this method on the requested resource",
    "MethodNotAllowed",
    {},
  );

/** The server no longer has the history that the request asks for. */
export const expired = (message: string): ApiError => plain(410, message, "Expired");
