// What tells people of drains, a line each.

export * as webhook from "./webhook/subject.ts";
