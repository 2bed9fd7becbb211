import type { GroupWork } from "../verify/group-work.ts";

/** A repair marks no group. */
export const works: readonly GroupWork[] = [];
