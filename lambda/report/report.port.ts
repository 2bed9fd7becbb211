export interface EventToRecord {
  /** The same for all Events that tell the same of the same drain. */
  readonly key: string;
  readonly namespace: string;
  /** The Event without its name. */
  readonly body: object;
}

/** The fate of an Event: one to create may be there already, and one to change may be absent. */
export type RecordedEvent = "absent" | "recorded" | "there";

/** Records Events in the cluster, where `kubectl describe` shows them. */
export interface EventRecorder {
  record(event: EventToRecord, as: "change" | "new"): Promise<RecordedEvent>;
}
