import { field } from "../base/schema.ts";
import { ownTaintText, readOwnTaint } from "./own-taint.ts";

/** The taint that a deployment puts on nodes, as the fence compares it. It becomes part of a CEL expression, as the ARNs of roles do. */
export const ownTaintField = field(
  "empty, or a taint with a key of your own that evicts no pod, such as example.com/draining=true:NoSchedule",
  (value) => {
    const own = typeof value === "string" ? readOwnTaint(value) : undefined;
    return own?.kind === "read" ? ownTaintText(own.taints) : undefined;
  },
);
