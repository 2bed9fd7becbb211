import { isObject, type JsonObject, textOf } from "../json.ts";
import { parseJson } from "../parse-json.ts";
import { badRequest } from "../refusals.ts";

function unrecognized(kind: string, body: string, problem: string) {
  const start = body === "" ? "<empty>" : body;
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${problem} (${start})`,
  );
}

/** Reads the object in a request's body; an object without a kind counts as one of `kind`. */
export function readBody(kind: string, body: string): JsonObject {
  const parsed = parseJson(body);
  if (parsed.problem !== undefined) throw unrecognized(kind, body, parsed.problem);
  if (!isObject(parsed.value)) throw unrecognized(kind, body, "json: cannot unmarshal");
  const { kind: told } = parsed.value;
  if (told === undefined || told === kind) return parsed.value;
  const other = textOf(told);
  throw badRequest(
    `${other} in version "v1" cannot be handled as a ${kind}: converting (v1.${other}) to (${kind}): unknown conversion`,
  );
}

/** The metadata of an object in a request's body. */
export const metadataOf = ({ metadata }: JsonObject): JsonObject =>
  isObject(metadata) ? metadata : {};

/** Refuses an object that names another namespace than the path does. */
export function assertNamespace(object: JsonObject, namespace: string): void {
  const { namespace: told } = metadataOf(object);
  if (!told || told === namespace) return;
  throw badRequest(
    "the namespace of the provided object does not match the namespace sent on the request",
  );
}

/** Whether a request is a dry run. */
export const triesOnly = (query: URLSearchParams): boolean => query.get("dryRun") === "All";
