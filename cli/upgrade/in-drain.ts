import type { Instant } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { ReasonWithRemedy } from "../remedies.ts";

export const leftReasons: readonly string[] = [];

export const tryClosed = (_node: Node, _now: Instant): ReasonWithRemedy | undefined => undefined;
