import { isObject, type JsonObject, type JsonValue, textOf } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import { type Resource, usual } from "./resource.ts";
import type { StatusCause } from "./status.ts";

/** An Event of events.k8s.io/v1. A real API server shows it in core/v1 too; this one does not. */
export interface KubeEvent extends KubeObject {
  readonly regarding: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
  };
  readonly reason: string;
  readonly type: string;
  readonly note: string;
  readonly action: string;
  readonly eventTime: string;
  readonly reportingController: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** Events of events.k8s.io/v1. */
export const kubeEvents: Resource<KubeEvent> = {
  ...usual,
  group: "events.k8s.io",
  plural: "events",
  kind: "Event",
  generation: false,
  statusSubresource: false,
  nothing: { eventTime: null, regarding: {}, deprecatedSource: {} },
  complete: (draft) => ({
    ...draft,
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  }),
};

const invalidValue = (field: string, value: string, why: string): StatusCause => ({
  reason: "FieldValueInvalid",
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

const required = (field: string): StatusCause => ({
  reason: "FieldValueRequired",
  message: "Required value",
  field,
});

/**
 * The rules that an Event breaks, as far as the function could break them.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/events.go
 */
export function kubeEventCauses(event: JsonObject): readonly StatusCause[] {
  const { series, note, eventTime } = event;
  const isLong = Buffer.byteLength(textOf(note)) > 1024;
  const isMicro = /^.{19}\.\d{6}Z$/.test(textOf(eventTime));
  return [
    ...["reportingController", "reportingInstance", "action", "reason"]
      .filter((field) => !event[field])
      .map((field) => required(field)),
    ...(isLong ? [invalidValue("message", "", "can have at most 1024 characters")] : []),
    ...seriesCauses(series),
    ...(isMicro ? [] : [required("eventTime")]),
  ];
}

function seriesCauses(series: JsonValue | undefined): readonly StatusCause[] {
  if (!isObject(series)) return [];
  const { count } = series;
  return Number(count) >= 2 ? [] : [invalidValue("series.count", "", "should be at least 2")];
}

const fixed = [
  ["note", "message"],
  ["reason", "reason"],
  ["type", "type"],
  ["action", "action"],
  ["reportingController", "reportingController"],
  ["reportingInstance", "reportingInstance"],
] as const;

/** The forbidden changes of an Event, of which only the series may change. */
export const kubeEventChanges = (after: JsonObject, before: JsonObject): readonly StatusCause[] =>
  fixed
    .filter(([field]) => after[field] !== before[field])
    .map(([field, called]) => invalidValue(called, textOf(after[field]), "field is immutable"));
