// The subjects in the commands, one a line, in the order in which they are shown: that of their names.

export * as instanceRepairs from "./repair/subject.ts";
export * as groupUpgrades from "./upgrade/subject.ts";
