/**
 * Sends evictions and watches to a server on loopback through this project's transport and its alternatives, in turn,
 * each in its own process and from its own bundle: `npm run bench:transport -- ROUNDS`. It takes some minutes.
 */
import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { tlsIdentity } from "../test/adapters/loopback.ts";
import { type Protocol, serve } from "./transport/server.ts";
import type { Figures } from "./transport/trial.ts";

interface Way {
  readonly name: string;
  /** The source that is bundled. */
  readonly source: string;
  readonly server: Protocol;
}

const way = (name: string, source: string, server: Protocol = "h2"): Way => ({
  name,
  source,
  server,
});
const ways: readonly Way[] = [
  way("ours, HTTP/2", 'export { open } from "./ours.ts"'),
  way("ours, HTTP/1.1", 'export { open } from "./ours.ts"', "http/1.1"),
  way("undici, HTTP/2", 'export { http2 as open } from "./undici.ts"'),
  way("undici, HTTP/1.1", 'export { http1 as open } from "./undici.ts"'),
  way("undici, an agent each", 'export { eachAlone as open } from "./undici.ts"'),
  way("node:http2", 'export { open } from "./plain-http2.ts"'),
  way("node:https", 'export { open } from "./plain-https.ts"'),
];
const losses = ["refused", "goaway", "broken", "hanging"];

const resolveDir = join(import.meta.dirname, "transport");
const folder = await mkdtemp(join(tmpdir(), "transport-"));
const fileOf = ({ name }: Way): string => join(folder, `${name.replace(/\W+/g, "-")}.cjs`);

/** Bundles a transport as functions are bundled, and returns the size in kilobytes. */
async function bundled(one: Way): Promise<Figures> {
  const { metafile } = await build({
    stdin: { contents: one.source, resolveDir },
    ...{ bundle: true, platform: "node", format: "cjs", target: "node24", minify: true },
    mainFields: ["module", "main"],
    metafile: true,
    outfile: fileOf(one),
  });
  const [{ bytes } = { bytes: 0 }] = Object.values(metafile.outputs);
  return { kB: bytes / 1000 };
}

/** One trial. A frozen process stops as Lambda stops it between invocations, and its connections die. */
async function run(one: Way, trial: string): Promise<Figures> {
  const server = await serve(one.server);
  const { cert } = await tlsIdentity();
  const child = fork(join(resolveDir, "trial.ts"), [fileOf(one), server.url, cert, trial]);
  const { promise, resolve, reject } = Promise.withResolvers<Figures>();
  child.on("message", async (told: Figures | "freeze" | "deafen") => {
    if (typeof told === "object") return resolve({ ...told, connections: server.connections() });
    if (told === "deafen") return server.deafen();
    child.kill("SIGSTOP");
    server.deafen();
    await sleep(65_000);
    child.kill("SIGCONT");
    return child.send("go on");
  });
  child.once("exit", () => reject(new Error(`${trial} of ${one.name} ended without a result`)));
  return promise.finally(server.close);
}

const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;

const medians = (all: readonly Figures[]): Figures =>
  Object.fromEntries(
    Object.keys(all[0] ?? {}).map((name) => [name, median(all.map((one) => one[name] ?? 0))]),
  );

/** One row for each figure; the brackets give the ratio to the first transport. */
function table(found: ReadonlyMap<Way, Figures>): string {
  const [first = {}] = found.values();
  const cell = (figure = 0, name: string): string => {
    const ratio = figure / (first[name] ?? 0);
    const told = Number.isFinite(ratio) ? ` (${ratio.toFixed(2)})` : "";
    return `${Number(figure.toPrecision(3))}${told}`;
  };
  const rows = [
    ["", ...[...found.keys()].map(({ name }) => name)],
    ["---", ...[...found].map(() => "---:")],
    ...Object.keys(first).map((name) => [
      name,
      ...[...found.values()].map((it) => cell(it[name], name)),
    ]),
  ];
  return rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/** All figures of one transport except its speed; the slow trials run at the same time. */
async function lossesOf(one: Way): Promise<Figures> {
  const slow = Promise.all([run(one, "frozen"), run(one, "silent")]);
  const found: Figures[] = [];
  for (const trial of losses) found.push(await run(one, trial));
  const { connections, ...rest } = Object.assign({}, ...found, ...(await slow));
  return rest;
}

/** All transports; each round starts with another one. */
const inTurn = (round: number): readonly Way[] => [
  ...ways.slice(round % ways.length),
  ...ways.slice(0, round % ways.length),
];

const rounds = Number(process.argv[2] ?? 11);
const found = new Map<Way, Figures[]>(ways.map((one) => [one, []]));
try {
  const sizes = new Map(
    await Promise.all(ways.map(async (one) => [one, await bundled(one)] as const)),
  );
  for (let round = 0; round < rounds; round += 1)
    for (const one of inTurn(round)) found.get(one)?.push(await run(one, "speed"));
  const losses = new Map(
    await Promise.all(ways.map(async (one) => [one, await lossesOf(one)] as const)),
  );
  const all = ways.map(
    (one) =>
      [one, { ...sizes.get(one), ...medians(found.get(one) ?? []), ...losses.get(one) }] as const,
  );
  process.stdout.write(table(new Map(all)));
} finally {
  await rm(folder, { recursive: true });
}
