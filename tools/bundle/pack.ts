import { buildCommandLine } from "./command-line.ts";

await buildCommandLine();
