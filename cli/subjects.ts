// What subjects add to what the commands tell, a line each, in the order in which it is told: that of their names.

export * as instanceRepairs from "./repair/subject.ts";
export * as groupUpgrades from "./upgrade/subject.ts";
