import { runSuites } from "./suites.ts";

process.exitCode = await runSuites(process.argv.slice(2));
