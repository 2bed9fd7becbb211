/** Drains nodes that end at once, in virtual time: `npm run bench -- --parts bursts`. */
import { burst } from "../test/world/burst.ts";

// A pipe that is opened in virtual time would count as work that does not end.
process.stdout.write("");
process.stderr.write("");

const usual = { podsOfNode: 30, rate: 400 } as const;
const sizes = process.argv.slice(2).map(Number);

for (const nodes of sizes) {
  const cpu = process.cpuUsage();
  const { figures } = await burst({ ...usual, nodes, staying: Math.ceil(nodes / 4) });
  const { user, system } = process.cpuUsage(cpu);
  const seconds = Math.round((user + system) / 10_000) / 100;
  const { podsOfNode, rate } = usual;
  const line = { part: "bursts", nodes, podsOfNode, rate, ...figures, processor: seconds };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
