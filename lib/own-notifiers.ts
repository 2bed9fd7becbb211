// The notifiers of people about drains, a line each.

export * as webhook from "./webhook/subject.ts";
