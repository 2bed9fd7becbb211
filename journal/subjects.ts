// The subjects that add to the journal, a line each, in the order in which they are told: that of their names.

export * as drainRoom from "./making-room/subject.ts";
export * as instanceRepairs from "./repair/subject.ts";
export * as groupUpgrades from "./upgrade/subject.ts";
