import type { DeleteOptions } from "../deletion.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { readBody } from "./request-body.ts";

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Reads the deletion options from a body. */
export function deleteOptionsFrom(options: JsonObject): DeleteOptions {
  const { preconditions, dryRun, gracePeriodSeconds: grace } = options;
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {};
  return {
    gracePeriodSeconds: typeof grace === "number" ? grace : undefined,
    preconditions: { uid: textOf(uid), resourceVersion: textOf(resourceVersion) },
    ...(Array.isArray(dryRun) ? { dryRun: dryRun.map(String) } : {}),
  };
}

/** The options of a deletion: those of its body, else those of its query. */
export function deleteOptions(body: string, query: URLSearchParams): DeleteOptions {
  if (body.trim() !== "") return deleteOptionsFrom(readBody(body));
  const grace = query.get("gracePeriodSeconds");
  return grace === null ? {} : { gracePeriodSeconds: Number(grace) };
}
