// The subjects that make room for drains, one a line.

export * as makingRoom from "./making-room/subject.ts";
