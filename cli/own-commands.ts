// The subjects' commands, one a line.

export * as instanceRepairs from "./repair/commands.ts";
export * as groupUpgrades from "./upgrade/commands.ts";
