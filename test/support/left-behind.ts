import { afterAll, expect } from "vitest";

const events = ["SIGINT", "SIGTERM", "uncaughtException", "unhandledRejection"];

/** What every test file of a worker shares: a file that changes some of it changes the tests of the next. */
const shared = () =>
  new Map<string, unknown>([
    ["the working directory", process.cwd()],
    ["the output", process.stdout.write],
    ["Date", globalThis.Date],
    ["fetch", globalThis.fetch],
    ["setTimeout", globalThis.setTimeout],
    ...events.map((event) => [`${event} listeners`, process.listenerCount(event)] as const),
    ...Object.entries(process.env),
  ]);

const before = shared();

afterAll(() => {
  const after = shared();
  const names = new Set([...before.keys(), ...after.keys()]);
  const changed = [...names].filter((name) => before.get(name) !== after.get(name));
  // Only the names: a variable of the environment may be a secret.
  expect(changed, "this file has changed what other test files share").toEqual([]);
});
