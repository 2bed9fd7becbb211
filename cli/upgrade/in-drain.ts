import type { ReasonWithRemedy } from "../remedies.ts";

export const leftReasons: readonly string[] = [];

export const tryClosed = (): ReasonWithRemedy | undefined => undefined;
