// The subjects of a deployment, one a line, in the order in which they are created: that of their names.

export * as instanceRepairs from "./repair/subject.ts";
export * as groupUpgrades from "./upgrade/subject.ts";
