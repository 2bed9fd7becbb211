import { runSuites } from "./suites.ts";
import { absentRooms, everyRoom, playedVersions } from "./versions.ts";

const [played = "", ...args] = process.argv.slice(2);
const variables = new Map<string, Readonly<Record<string, string>>>(
  Object.entries(playedVersions),
).get(played);
const absent = absentRooms[played] ?? [];
const suites = everyRoom
  .filter((name) => !absent.includes(name))
  .map((name) => `test/cluster/${name}.test.ts`);

if (variables === undefined) {
  const ways = Object.keys(playedVersions).join(", ");
  process.stderr.write(
    `the control plane cannot run as ${JSON.stringify(played)}: give one of ${ways}, as in npm run test:versions -- 1.33\n`,
  );
  process.exitCode = 2;
} else {
  const chosen = args.some((it) => !it.startsWith("-")) ? args : [...suites, ...args];
  process.exitCode = await runSuites(chosen, { ...variables, PLAYED_VERSION: played });
}
