import { isObject, type JsonObject, textOf } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import { invalid } from "./refusals.ts";
import { type Resource, usual } from "./resource.ts";

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

const fixed = ["note", "reason", "type", "action", "reportingController", "reportingInstance"];

/**
 * Refuses an Event that breaks the rules, as far as the function could break them, or that changes in more than its series.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/events.go
 */
export function assertEvent(event: JsonObject, before: JsonObject = event): void {
  const { series, note, eventTime, metadata } = event;
  const count = isObject(series) ? Number(series["count"]) : 2;
  const broken = [
    ...["reportingController", "reportingInstance", "action", "reason"].filter((it) => !event[it]),
    ...(Buffer.byteLength(textOf(note)) > 1024 ? ["note"] : []),
    ...(count >= 2 ? [] : ["series.count"]),
    ...(/^.{19}\.\d{6}Z$/.test(textOf(eventTime)) ? [] : ["eventTime"]),
    ...fixed.filter((field) => event[field] !== before[field]),
  ];
  if (broken.length === 0) return;
  const name = isObject(metadata) ? textOf(metadata["name"]) : "";
  throw invalid(kubeEvents, name, `the rules of ${broken.join(", ")}`);
}
