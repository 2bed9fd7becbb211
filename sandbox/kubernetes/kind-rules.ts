import { invalidValue, required } from "./field-causes.ts";
import { isObject, type Json, type JsonObject, textOf } from "./json.ts";
import { kubeEventCauses, kubeEventChanges } from "./kube-event.ts";
import type { StatusCause } from "./status.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function taintCauses(taints: readonly Json[]): readonly StatusCause[] {
  const seen: string[] = [];
  return taints.filter(isObject).flatMap(({ key, value, effect }, index) => {
    const field = `metadata.taints[${index}]`;
    const pair = `${String(key)}:${String(effect)}`;
    const duplicate = seen.includes(pair);
    seen.push(pair);
    if (typeof effect !== "string") return [required(`${field}.effect`)];
    if (!effects.includes(effect)) {
      const supported = effects.map((word) => JSON.stringify(word)).join(", ");
      const message = `Unsupported value: ${JSON.stringify(effect)}: supported values: ${supported}`;
      return [{ reason: "FieldValueNotSupported", message, field: `${field}.effect` }];
    }
    if (!duplicate) return [];
    const taint = JSON.stringify({ Key: key, Value: value ?? "", Effect: effect, TimeAdded: null });
    const message = `Duplicate value: ${taint}: taints must be unique by key and effect pair`;
    return [{ reason: "FieldValueDuplicate", message, field }];
  });
}

function nodeCauses(spec: Json | undefined): readonly StatusCause[] {
  const { taints } = isObject(spec) ? spec : {};
  return Array.isArray(taints) ? taintCauses(taints) : [];
}

function eventCauses({ metadata, involvedObject, eventTime }: JsonObject): readonly StatusCause[] {
  if (eventTime || !isObject(metadata)) return [];
  const { namespace: own } = metadata;
  const { namespace: named } = isObject(involvedObject) ? involvedObject : {};
  const fits = named ? named === own : !own || own === "default";
  if (fits) return [];
  const why = "does not match event.namespace";
  return [invalidValue("involvedObject.namespace", textOf(named), why)];
}

const podCauses = (spec: Json | undefined): readonly StatusCause[] => {
  const { containers } = isObject(spec) ? spec : {};
  return Array.isArray(containers) && containers.length > 0 ? [] : [required("spec.containers")];
};

type Rule = (object: JsonObject) => readonly StatusCause[];

/** The rules of each kind, as far as drains and tests need them. */
export const kindRules: Readonly<Record<string, Rule>> = {
  Node: ({ spec }) => nodeCauses(spec),
  Event: (event) => ("regarding" in event ? kubeEventCauses(event) : eventCauses(event)),
  Pod: ({ spec }) => podCauses(spec),
};

/** The forbidden changes in an update of an object, as causes of a refusal. */
export function changeCauses(after: JsonObject, before: JsonObject): readonly StatusCause[] {
  if ("regarding" in before) return kubeEventChanges(after, before);
  const { spec: asked } = after;
  const { spec: kept } = before;
  const { providerID: wanted } = isObject(asked) ? asked : {};
  const { providerID: known } = isObject(kept) ? kept : {};
  if (!known || known === wanted) return [];
  const message = 'Forbidden: node updates may not change providerID except from "" to valid';
  return [{ reason: "FieldValueForbidden", message, field: "spec.providerID" }];
}
