// The subjects of the journal, one a line, in the order in which they are shown: that of their names.

export * as drainRoom from "./making-room/subject.ts";
export * as instanceRepairs from "./repair/subject.ts";
export * as groupUpgrades from "./upgrade/subject.ts";
