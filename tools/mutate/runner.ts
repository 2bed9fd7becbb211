import { readFileSync, writeFileSync } from "node:fs";
import { BroadcastChannel } from "node:worker_threads";
import { createVitest, type Vitest } from "vitest/node";
import { type Answer, type Call, channelName, type Seen } from "./calls.ts";
import { readDurations } from "./durations-schema.ts";

/** What Stryker asks of a run. */
interface Run {
  readonly activeMutant: { readonly id: string };
  readonly testFilter?: readonly string[];
  readonly hitLimit?: number;
  readonly sandboxFileName: string;
  readonly mutantActivation: "runtime" | "static";
  readonly reloadEnvironment: boolean;
}

const config = "tools/mutate/vitest.config.ts";

/** Vitest, with the tests of a room in one thread; see `TestsInPlace`. */
class Held {
  readonly #vitest: Vitest;
  readonly #channel = new BroadcastChannel(channelName);
  readonly #answers = new Map<number, (answer: Answer) => void>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  #calls = 0;

  /** Reads all files, with this change active while it does. */
  static async start(mutant: string | undefined): Promise<Held> {
    // An empty one is none.
    process.env["__STRYKER_ACTIVE_MUTANT__"] = mutant ?? "";
    const held = new Held(await createVitest("test", { config, watch: false }));
    await held.#ready.promise;
    return held;
  }

  private constructor(vitest: Vitest) {
    this.#vitest = vitest;
    this.#channel.onmessage = ({ data }) => {
      if (data === "ready") this.#ready.resolve();
      else if (data.answer !== undefined) this.#answers.get(data.answer.id)?.(data.answer);
    };
    const { resolve: _, reject } = this.#ready;
    this.#ended = vitest.start().then(() => reject(new Error("the tests have ended")), reject);
  }

  call(rest: Omit<Call, "id">): Promise<Answer> {
    this.#calls += 1;
    const call: Call = { id: this.#calls, ...rest };
    const { promise, resolve: answer } = Promise.withResolvers<Answer>();
    this.#answers.set(call.id, answer);
    this.#channel.postMessage({ call });
    return promise;
  }

  async end(): Promise<void> {
    this.#channel.postMessage("end");
    await this.#ended;
    this.#channel.close();
    await this.#vitest.close();
  }
}

/** The milliseconds of each test without a change; in the folder that the processes of a run share. */
const durations = "durations.json";
const most = Number(process.env["MUTATE_MOST"] ?? "Infinity") * 1000;

/** How often each test has found a change of a file, by file. */
const finds = new Map<string, Map<string, number>>();

/** The tests that found most changes of this file, then those that take least; as many as there is time for. */
function promising(tests: readonly string[], file: string, time: (test: string) => number) {
  const found = (test: string): number => finds.get(file)?.get(test) ?? 0;
  let spent = 0;
  return tests
    .toSorted((one, other) => found(other) - found(one) || time(one) - time(other))
    .filter((test) => {
      spent += time(test);
      return spent <= most;
    });
}

function learn({ sandboxFileName }: Run, { seen }: Answer): void {
  const found = finds.get(sandboxFileName) ?? new Map<string, number>();
  finds.set(sandboxFileName, found);
  for (const { id, failure } of seen)
    if (failure !== undefined) found.set(id, (found.get(id) ?? 0) + 1);
}

function callOf({ activeMutant, testFilter, hitLimit, sandboxFileName }: Run): Omit<Call, "id"> {
  const times = readDurations(readFileSync(durations, "utf8"));
  const time = (test: string): number => times[test] ?? 0;
  // Without a filter, the code of the change runs when files are read, and any test may see it.
  const tests = promising(testFilter ?? Object.keys(times), sandboxFileName, time);
  return {
    mutant: activeMutant.id,
    tests,
    // Stryker's own is a hundred times what all tests need together, and this is of one test.
    ...(hitLimit === undefined ? {} : { hitLimit: hitLimit / 10 }),
    // Far more than the slowest of these tests takes, the first one in a process too.
    limit: 5_000 + 5 * Math.max(0, ...tests.map(time)),
  };
}

/** Stryker's forms. */
const resultOf = ({ id, fileName, failure, millis }: Seen) => {
  const test = { id, name: id, fileName, timeSpentMs: millis };
  return failure === undefined
    ? { ...test, status: 0 }
    : { ...test, status: 1, failureMessage: failure };
};

function verdictOf({ seen, looped }: Answer) {
  const failed = seen.find(({ failure }) => failure !== undefined);
  const nrOfTests = seen.length;
  if (looped) return { status: "timeout" };
  if (failed === undefined) return { status: "survived", nrOfTests };
  const { id, failure: failureMessage } = failed;
  return { status: "killed", killedBy: [id], failureMessage, nrOfTests };
}

/** Runs tests for Stryker. */
class Runner {
  #held: Held | undefined;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async #fresh(mutant: string | undefined): Promise<Held> {
    await this.#held?.end();
    this.#held = await Held.start(mutant);
    return this.#held;
  }

  async dryRun() {
    const held = this.#held ?? (await this.#fresh(undefined));
    const { seen, coverage } = await held.call({});
    const times = Object.fromEntries(seen.map(({ id, millis }) => [id, millis]));
    writeFileSync(durations, JSON.stringify(times));
    return { status: "complete", tests: seen.map(resultOf), mutantCoverage: coverage };
  }

  async mutantRun(run: Run) {
    const { activeMutant, mutantActivation, reloadEnvironment } = run;
    const reading = mutantActivation === "static" ? activeMutant.id : undefined;
    const kept = reloadEnvironment ? undefined : this.#held;
    const held = kept ?? (await this.#fresh(reading));
    const answer = await held.call(callOf(run));
    learn(run, answer);
    // What a change leaves behind when files are read goes with the next reading, which Stryker asks for.
    if (answer.tainted && reading === undefined) await this.#fresh(undefined);
    return verdictOf(answer);
  }

  async dispose() {
    await this.#held?.end();
    this.#held = undefined;
  }
}

export const strykerPlugins = [{ kind: "TestRunner", name: "in-place", value: new Runner() }];
