import * as z from "zod/mini";

/** One event of a watch: an object that changed, a bookmark, or the end of the watch with its code. */
export type WatchEvent =
  | { readonly kind: "changed"; readonly object: unknown; readonly version: string }
  | { readonly kind: "deleted"; readonly object: unknown; readonly version: string }
  | { readonly kind: "bookmark"; readonly version: string }
  /** A streamed watch has sent all that was there when it began. */
  | { readonly kind: "synced"; readonly version: string }
  | { readonly kind: "error"; readonly code: number; readonly message: string };

const initialEventsEnd = "k8s.io/initial-events-end";

const object = z.looseObject({
  metadata: z.looseObject({
    resourceVersion: z.string(),
    annotations: z.catch(z.record(z.string(), z.string()), {}),
  }),
});

const objectEvent = z.pipe(
  z.object({ type: z.enum(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]), object }),
  z.transform(({ type, object: sent }): WatchEvent => {
    const { resourceVersion: version, annotations } = sent.metadata;
    if (type === "BOOKMARK")
      return { kind: initialEventsEnd in annotations ? "synced" : "bookmark", version };
    return { kind: type === "DELETED" ? "deleted" : "changed", object: sent, version };
  }),
);

const errorEvent = z.pipe(
  z.object({
    type: z.literal("ERROR"),
    object: z.object({ code: z.catch(z.number(), 0), message: z.catch(z.string(), "") }),
  }),
  z.transform(({ object: { code, message } }): WatchEvent => ({ kind: "error", code, message })),
);

const schema = z.union([objectEvent, errorEvent]);

/** Reads one line of a watch; a line that makes no sense becomes an error, so that the watch starts over. */
export function watchEventOf(line: unknown): WatchEvent {
  const read = z.safeParse(schema, line);
  if (read.success) return read.data;
  return { kind: "error", code: 0, message: "an event of a watch that makes no sense" };
}
