// What makes room for drains, as the commands tell it, a line each.

export * as makingRoom from "./making-room/subject.ts";
