// Subjects that drains may have besides the engine: each goes with its folders and its line here.

export * as makingRoom from "./kubernetes/making-room/subject.flow.ts";
