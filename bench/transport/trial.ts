/** One trial of one transport in a process of its own: `trial.ts BUNDLE URL CA TRIAL`. */
import { once } from "node:events";
import { createRequire } from "node:module";

/** A request; `limit` is how many milliseconds may pass until its answer begins. */
export interface Sent {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly limit: number;
}

/** Opens a transport to a server: a function that sends a request and returns the body of the answer. */
export type Open = (
  url: string,
  certificateAuthority: string,
) => (request: Sent) => Promise<AsyncIterable<unknown>>;

/** The figures that a trial measured. */
export type Figures = Readonly<Record<string, number>>;

const [, , bundle = "", url = "", ca = "", trial = ""] = process.argv;
const content = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web-1" } };
const headers = { "content-type": "application/json", authorization: `Bearer ${"x".repeat(800)}` };

async function timed<T>(work: () => T) {
  const [began, before] = [performance.now(), process.cpuUsage()];
  const what = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - began, cpu: (user + system) / 1000, what };
}

const opened = await timed(
  (): ReturnType<Open> => createRequire(import.meta.url)(bundle).open(url, ca),
);

async function post(fate: string, limit = 10_000): Promise<void> {
  const body = JSON.stringify(content);
  const request = { method: "POST", path: `/${fate}`, headers, body, limit } as const;
  for await (const _ of await opened.what(request));
}

async function watch(): Promise<AsyncIterator<unknown>> {
  const request = { method: "GET", path: "/watch", headers, body: undefined } as const;
  const lines = (await opened.what({ ...request, limit: 10_000 }))[Symbol.asyncIterator]();
  await lines.next();
  return lines;
}

const together = (count: number, fate: string) =>
  Promise.allSettled(Array.from({ length: count }, () => post(fate)));
const succeeded = async (count: number, fate: string): Promise<number> =>
  (await together(count, fate)).filter(({ status }) => status === "fulfilled").length;
const fails = (fate: string): Promise<boolean> =>
  post(fate, 500).then(
    () => false,
    () => true,
  );

async function speed(): Promise<Figures> {
  const first = await timed(() => post("answer"));
  const sequential = await timed(async () => {
    for (let count = 0; count < 50; count += 1) await post("answer");
  });
  await watch();
  const burst = await timed(() => succeeded(100, "answer"));
  const again = await timed(() => succeeded(100, "answer"));
  const { rss } = process.memoryUsage();
  return {
    "import, ms": opened.ms,
    "import, CPU ms": opened.cpu,
    "first call, ms": first.ms,
    "one of 50 in a row, ms": sequential.ms / 50,
    "100 at once, ms": burst.ms,
    "100 at once, CPU ms": burst.cpu,
    "100 more, ms": again.ms,
    "100 more, CPU ms": again.cpu,
    "100 more, requests per second": 100_000 / again.ms,
    "of 200, answered": burst.what + again.what,
    "memory, MB": rss / 1e6,
  };
}

/** The trials, each on an open connection. */
const trials: Readonly<Record<string, () => Promise<Figures>>> = {
  refused: async () => ({ "3 of 20 refused: answered": await succeeded(20, "refuse") }),
  goaway: async () => ({ "GOAWAY at 20 of 100: answered": await succeeded(100, "goaway") }),
  broken: async () => ({ "broken at 50 of 150: answered": await succeeded(150, "break") }),
  hanging: async () => ({ "no answer, limit 500: ms": (await timed(() => fails("hang"))).ms }),
  async frozen() {
    process.send?.("freeze");
    await once(process, "message");
    let failed = 0;
    while (failed < 10 && (await fails("answer"))) failed += 1;
    return { "frozen for 65 s: failed calls": failed };
  },
  async silent() {
    const lines = await watch();
    process.send?.("deafen");
    const end = lines.next().catch(() => undefined);
    const limit = once(AbortSignal.timeout(90_000), "abort");
    const { ms } = await timed(() => Promise.race([end, limit]));
    return { "watch on a dead connection: s until its end": ms / 1000 };
  },
};

if (trial !== "speed") await post("answer");
process.send?.(await (trials[trial] ?? speed)(), () => process.exit());
