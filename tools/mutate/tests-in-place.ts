import { setTimeout } from "node:timers/promises";
import { BroadcastChannel } from "node:worker_threads";
import {
  type RunnerTask,
  type RunnerTestCase,
  type RunnerTestFile,
  type RunnerTestSuite,
  TestRunner,
} from "vitest";
import { type Answer, type Call, channelName, type Seen } from "./calls.ts";

/** The time of the processor that this thread has used, in milliseconds. */
function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Stryker's variables inside of the changed code. */
class Switches {
  currentTestId: string | undefined;
  hitCount: number | undefined;
  hitLimit: number | undefined;
  mutantCoverage: unknown;
  /** When a test has taken too much of the processor, in the thread's own milliseconds. */
  endsAt = Number.POSITIVE_INFINITY;
  isOver: boolean = false;
  #activeMutant: string | undefined;
  #reads = 0;

  /**
   * The code reads it at each place that has a change, wherever the change under test is. So a loop without an end stops
   * here, which no timer of its thread could do.
   */
  get activeMutant(): string | undefined {
    this.#reads += 1;
    if (this.#reads % 1024 === 0 && spent() > this.endsAt) this.isOver = true;
    if (this.isOver) throw new Error("takes too much time of the processor");
    return this.#activeMutant;
  }

  set activeMutant(mutant: string | undefined) {
    this.#activeMutant = mutant;
  }
}

declare global {
  var __stryker__: Switches | undefined;
}
const switches = globalThis.__stryker__ ?? new Switches();
globalThis.__stryker__ = switches;

/** How long a test may take, which is much longer than any does. */
const patience = 60_000;
const waitsTooLong = "waits too long";

const testsOf = (task: RunnerTask): readonly RunnerTestCase[] =>
  task.type === "test" ? [task] : task.tasks.flatMap(testsOf);

/** The file and the suites of a test, from the outside. */
function suitesOf({ suite, file }: RunnerTestCase): readonly RunnerTestSuite[] {
  const inner: RunnerTestSuite[] = [];
  for (let each = suite; each !== undefined && each !== file; each = each.suite)
    inner.unshift(each);
  return [file, ...inner];
}

const nameOf = (test: RunnerTestCase): string =>
  [...suitesOf(test), test].map(({ name }) => name).join(" > ");

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

type Hook = "beforeEach" | "afterEach";

const hooksOf = (test: RunnerTestCase, kind: Hook) =>
  suitesOf(test).flatMap((suite) =>
    TestRunner.getSuiteHooks(suite)[kind].map((hook) => () => hook(test.context, suite)),
  );

async function runWithHooks(test: RunnerTestCase): Promise<void> {
  const ends = hooksOf(test, "afterEach");
  try {
    for (const hook of hooksOf(test, "beforeEach")) {
      const end = await hook();
      if (typeof end === "function") ends.push(() => end());
    }
    await TestRunner.getTestFn(test)();
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

/**
 * Reads all test files once, and then runs their tests again and again in one thread, as it is called. A run of Vitest
 * for each change reads every module of the product and of AWS' clients anew, which takes longer than most tests do.
 */
// biome-ignore lint/style/noDefaultExport: Vitest asks for it.
export default class TestsInPlace extends TestRunner {
  readonly #tests = new Map<string, RunnerTestCase>();
  readonly #broken: Seen[] = [];
  readonly #begun = new WeakSet<RunnerTestSuite>();

  onCollected(files: RunnerTestFile[]): void {
    for (const file of files.filter(({ name }) => !name.endsWith("mutate/carrier.test.ts")))
      this.#keep(file);
  }

  /** Keeps the tests of a file, and keeps Vitest from running them. */
  #keep(file: RunnerTestFile): void {
    const { name: id, filepath: fileName } = file;
    const [error] = file.result?.errors ?? [];
    if (error !== undefined) this.#broken.push({ id, fileName, failure: error.message, millis: 0 });
    for (const test of testsOf(file))
      if (test.mode === "run" || test.mode === "queued") this.#tests.set(nameOf(test), test);
    file.mode = "skip";
  }

  /** Answers calls inside of the carrier's run: what `expect` looks up there are the test's own names. */
  async runTask(carrier: RunnerTestCase): Promise<void> {
    const channel = new BroadcastChannel(channelName);
    const { promise, resolve } = Promise.withResolvers<void>();
    channel.onmessage = async ({ data }) => {
      if (data === "end") resolve();
      else channel.postMessage({ answer: await this.#answer(carrier, data.call) });
    };
    channel.postMessage("ready");
    await promise;
    channel.close();
  }

  #answer(carrier: RunnerTestCase, call: Call): Promise<Answer> {
    const names = call.tests ?? [...this.#tests.keys()];
    const tests = names.flatMap((name) => this.#tests.get(name) ?? []);
    return call.mutant === undefined
      ? this.#asItIs(carrier, call, tests)
      : this.#changed(carrier, call, tests);
  }

  async #asItIs(
    carrier: RunnerTestCase,
    { id }: Call,
    tests: readonly RunnerTestCase[],
  ): Promise<Answer> {
    const seen = [...this.#broken];
    for (const test of tests) seen.push(await this.#try(carrier, test, undefined));
    return { id, seen, coverage: switches.mutantCoverage, looped: false, tainted: false };
  }

  /** Runs tests up to the first that fails, and that one once more without the change. */
  async #changed(
    carrier: RunnerTestCase,
    { id, mutant, hitLimit, limit = Number.POSITIVE_INFINITY }: Call,
    tests: readonly RunnerTestCase[],
  ): Promise<Answer> {
    // Files that the change keeps from being read have no tests.
    const seen = this.#broken.slice(0, 1);
    if (seen.length > 0) return { id, seen, coverage: undefined, looped: false, tainted: false };
    for (const test of tests) {
      switches.hitCount = 0;
      switches.hitLimit = hitLimit;
      switches.endsAt = spent() + limit;
      const one = await this.#try(carrier, test, mutant);
      const looped = switches.isOver || switches.hitCount > (hitLimit ?? Number.POSITIVE_INFINITY);
      switches.hitLimit = undefined;
      switches.endsAt = Number.POSITIVE_INFINITY;
      switches.isOver = false;
      seen.push(one);
      if (one.failure === undefined && !looped) continue;
      const tainted =
        one.failure === waitsTooLong ||
        (await this.#try(carrier, test, undefined)).failure !== undefined;
      return { id, seen, coverage: undefined, looped, tainted };
    }
    return { id, seen, coverage: undefined, looped: false, tainted: false };
  }

  async #try(
    carrier: RunnerTestCase,
    test: RunnerTestCase,
    mutant: string | undefined,
  ): Promise<Seen> {
    const id = nameOf(test);
    switches.currentTestId = id;
    switches.activeMutant = mutant;
    const done = new AbortController();
    const start = spent();
    const failure = await Promise.race([
      this.#run(carrier, test).then(() => undefined, messageOf),
      setTimeout(patience, waitsTooLong, { signal: done.signal }),
    ]);
    const millis = spent() - start;
    done.abort();
    switches.activeMutant = undefined;
    switches.currentTestId = undefined;
    const seen = { id, fileName: test.file.filepath, millis };
    return failure === undefined ? seen : { ...seen, failure };
  }

  async #run(carrier: RunnerTestCase, test: RunnerTestCase): Promise<void> {
    const { id, name, suite, file } = test;
    Object.assign(carrier, { id, name, suite, file, result: { state: "run" } });
    for (const each of suitesOf(test)) await this.#begin(each);
    this.onBeforeTryTask(carrier, { retry: 0, repeats: 0 });
    await runWithHooks(test);
    if (carrier.result?.state === "fail") throw new Error(carrier.result.errors?.[0]?.message);
  }

  /** What a suite runs before its first test; what it runs behind its last one is never due. */
  async #begin(suite: RunnerTestSuite): Promise<void> {
    if (this.#begun.has(suite)) return;
    this.#begun.add(suite);
    if (suite === suite.file) {
      suite.mode = "run";
      await this.onBeforeRunSuite(suite);
    }
    for (const hook of TestRunner.getSuiteHooks(suite).beforeAll) await hook(suite);
  }
}
