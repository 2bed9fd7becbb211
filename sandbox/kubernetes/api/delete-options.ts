import type { DeleteOptions } from "../deletion.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { parseJson } from "../parse-json.ts";
import { badRequest, invalid } from "../refusals.ts";

const wrongType = (value: Json, field: string, wanted: string) =>
  badRequest(
    `json: cannot unmarshal ${typeof value} into Go struct field DeleteOptions.${field} of type ${wanted}`,
  );

function graceOf({ gracePeriodSeconds }: JsonObject): number | undefined {
  if (gracePeriodSeconds === undefined || gracePeriodSeconds === null) return undefined;
  if (typeof gracePeriodSeconds === "number") return gracePeriodSeconds;
  throw wrongType(gracePeriodSeconds, "gracePeriodSeconds", "int64");
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Reads the deletion options from a body. */
export function deleteOptionsFrom(options: JsonObject): DeleteOptions {
  const { preconditions, dryRun } = options;
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {};
  return {
    gracePeriodSeconds: graceOf(options),
    preconditions: { uid: textOf(uid), resourceVersion: textOf(resourceVersion) },
    ...(Array.isArray(dryRun) ? { dryRun: dryRun.map(String) } : {}),
  };
}

function assertDryRun({ dryRun = [] }: DeleteOptions): void {
  if (dryRun.every((word) => word === "All")) return;
  const told = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`;
  throw invalid({ kind: "DeleteOptions", group: "meta.k8s.io" }, undefined, [
    { reason: "FieldValueNotSupported", message: told, field: "dryRun" },
  ]);
}

/** The options of a deletion: those of its body, else those of its query. */
export function deleteOptions(body: string, query: URLSearchParams): DeleteOptions {
  const parsed = body.trim() === "" ? undefined : parseJson(body);
  if (parsed?.problem !== undefined) throw badRequest(parsed.problem);
  const grace = query.get("gracePeriodSeconds");
  const fromQuery: DeleteOptions = {
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(query.has("dryRun") ? { dryRun: query.getAll("dryRun") } : {}),
  };
  const options = isObject(parsed?.value) ? deleteOptionsFrom(parsed.value) : fromQuery;
  assertDryRun(options);
  return options;
}
