// What subjects do at the command line, a line each.

export * as instanceRepairs from "./repair/commands.ts";
export * as groupUpgrades from "./upgrade/commands.ts";
