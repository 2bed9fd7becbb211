import { readFileSync } from "node:fs";
import type { Testimony } from "./testimony.ts";

const path = new URL("real-answers.json", import.meta.url);

/** What a real API server of v1.36.2 answered; record.ts says how they were recorded. */
export const realAnswers = JSON.parse(readFileSync(path, "utf8")) as Readonly<
  Record<string, Testimony>
>;
