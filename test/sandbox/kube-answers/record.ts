// Interviews a real control plane and saves its answers: `node test/sandbox/kube-answers/record.ts
// $RUN`,
// with RUN as printed by `test/control-plane/up 3`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { interview } from "./interview.ts";
import { RealWitness } from "./real-witness.ts";

const [, , run = ""] = process.argv;
const answers = await interview(new RealWitness(run));
const path = join(import.meta.dirname, "real-answers.json");
writeFileSync(path, `${JSON.stringify(answers, null, 2)}\n`);
