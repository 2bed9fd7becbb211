import { invalidValue, required } from "./field-causes.ts";
import { isObject, type Json, type JsonObject, textOf } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import { badRequest } from "./refusals.ts";
import type { Resource } from "./resource.ts";
import type { StatusCause } from "./status.ts";
import { usual } from "./usual-resource.ts";

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

const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** @see https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/events.go */
export function kubeEventCauses(event: JsonObject): readonly StatusCause[] {
  const { series, type, note, reportingController: by, eventTime } = event;
  assertMicroTime(eventTime);
  const isLong = Buffer.byteLength(textOf(note)) > 1024;
  const isKnown = type === "Normal" || type === "Warning";
  return [
    ...placeCauses(event),
    ...(by ? [] : controllerCauses),
    ...["reportingInstance", "action", "reason"]
      .filter((field) => !event[field])
      .map((field) => required(field)),
    ...(isLong ? [invalidValue("message", "", "can have at most 1024 characters")] : []),
    ...seriesCauses(series),
    ...(eventTime ? [] : [required("eventTime")]),
    ...(isKnown ? [] : [invalidValue("type", "", `has invalid value: ${textOf(type)}`)]),
  ];
}

const controllerCauses = [
  required("reportingController"),
  invalidValue("reportingController", "", "name part must be non-empty"),
  invalidValue("reportingController", "", namePart),
];

function assertMicroTime(time: Json | undefined): void {
  const [, fraction = ""] = /^.{19}(.*)$/.exec(textOf(time)) ?? [];
  if (!time || /^\.\d{6}/.test(fraction)) return;
  const layout = "2006-01-02T15:04:05.000000Z07:00";
  throw badRequest(
    `Event in version "v1" cannot be handled as a Event: parsing time "${textOf(time)}" as "${layout}": cannot parse "${fraction}" as ".000000"`,
  );
}

function placeCauses({ metadata, regarding }: JsonObject): readonly StatusCause[] {
  const { namespace: named } = isObject(regarding) ? regarding : {};
  const { namespace } = isObject(metadata) ? metadata : {};
  const fits = named || namespace === "default" || namespace === "kube-system";
  if (fits) return [];
  return [invalidValue("involvedObject.namespace", "", "does not match event.namespace")];
}

function seriesCauses(series: Json | undefined): readonly StatusCause[] {
  if (!isObject(series)) return [];
  const { count } = series;
  return Number(count) >= 2 ? [] : [invalidValue("series.count", "", "should be at least 2")];
}

// The real API server checks `reason` twice.
const fixed = [
  ["note", "message"],
  ["reason", "reason"],
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
