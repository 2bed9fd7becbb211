// What subjects add to a deployment, a line each, in the order in which it is made: that of their names.

export * as instanceRepairs from "./repair/subject.ts";
export * as groupUpgrades from "./upgrade/subject.ts";
