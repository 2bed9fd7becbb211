// What drains may have besides the engine: each goes with its folder and its line here.
// biome-ignore-all lint/performance/noBarrelFile: a list of subjects is made to be complete.
export * as makingRoom from "./kubernetes/making-room/subject.flow.ts";
