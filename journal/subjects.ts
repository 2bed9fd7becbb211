// The subjects that add to the journal, a line each: what one tells is in its folder.
export * as repair from "./repair/subject.ts";
export * as upgrade from "./upgrade/subject.ts";
