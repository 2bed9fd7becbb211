import { join } from "node:path";
import { projectRoot } from "../bundle/project-root.ts";
import { writeRelease } from "./template/release.ts";

const folder = join(projectRoot, "dist", "release");
for (const name of writeRelease(folder)) process.stdout.write(`dist/release/${name}\n`);
