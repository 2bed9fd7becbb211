/** One event of a watch: an object that changed, a bookmark, or the end of the watch with its code. */
export type WatchEvent =
  | { readonly kind: "changed"; readonly object: unknown; readonly version: string }
  | { readonly kind: "deleted"; readonly object: unknown; readonly version: string }
  | { readonly kind: "bookmark"; readonly version: string }
  /** A streamed watch has sent all that was there when it began. */
  | { readonly kind: "synced"; readonly version: string }
  | { readonly kind: "error"; readonly code: number; readonly message: string };

const initialEventsEnd = "k8s.io/initial-events-end";

const nonsense: WatchEvent = {
  kind: "error",
  code: 0,
  message: "an event of a watch that makes no sense",
};

/** Reads one line of a watch; a line that makes no sense becomes an error, so that the watch starts over. */
export function watchEventOf(line: unknown): WatchEvent {
  // Checked by hand: a drain of 100 pods reads thousands of lines, and a schema would copy each object.
  const { type, object } = fieldsOf(line);
  if (type === "ERROR") return isObject(object) ? errorOf(fieldsOf(object)) : nonsense;
  const { metadata } = fieldsOf(object);
  const { resourceVersion: version, annotations } = fieldsOf(metadata);
  if (typeof version !== "string") return nonsense;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
      return { kind: "changed", object, version };
    case "DELETED":
      return { kind: "deleted", object, version };
    case "BOOKMARK":
      return { kind: initialEventsEnd in fieldsOf(annotations) ? "synced" : "bookmark", version };
    default:
      return nonsense;
  }
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? Object(value) : {};

const errorOf = ({ code, message }: Readonly<Record<string, unknown>>): WatchEvent => ({
  kind: "error",
  code: typeof code === "number" ? code : 0,
  message: typeof message === "string" ? message : "",
});
