// The reasons for drains that subjects add, a line each.
export { ill } from "./repair/repair-reason.ts";
export { upgraded } from "./upgrade/upgrade-reason.ts";
