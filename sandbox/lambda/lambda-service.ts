import { randomBytes, randomUUID } from "node:crypto";
import { between, type Duration, type Instant, later, seconds } from "../../lambda/base/time.ts";
import type { Credentials } from "../aws/access-keys.ts";
import { type Account, arnOf } from "../aws/account.ts";
import type { Cancel, Timeline } from "../timeline.ts";
import { FunctionProcess, type Invocation, type ProcessOutcome } from "./function-process.ts";
import type { InvocationResult, LogListener, RunningFunction } from "./invocation.ts";

/**
 * The time for which a function may load before its time limit starts.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
const initLimit = seconds(10);

/** The time limit of one invocation. It starts when the process takes the event, or when loading has taken too long. */
export class TimeLimit {
  readonly #timeline: Timeline;
  readonly #timeout: Duration;
  readonly #onExceeded: () => void;
  #cancel: Cancel;
  #exceeded = false;
  startedAt: Instant;

  constructor(timeline: Timeline, timeout: Duration, onExceeded: () => void) {
    this.#timeline = timeline;
    this.#timeout = timeout;
    this.#onExceeded = onExceeded;
    this.startedAt = timeline.now();
    this.#cancel = timeline.schedule(later(this.startedAt, initLimit), () => void this.start());
  }

  get exceeded(): boolean {
    return this.#exceeded;
  }

  /** Starts the time limit, and returns when it ends. */
  start(): Instant {
    this.cancel();
    this.startedAt = this.#timeline.now();
    const deadline = later(this.startedAt, this.#timeout);
    this.#cancel = this.#timeline.schedule(deadline, () => {
      this.#exceeded = true;
      this.#onExceeded();
    });
    return deadline;
  }

  cancel(): void {
    this.#cancel();
  }
}

/** The settings of a function, apart from its code. */
export interface FunctionSettings {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  /** In MB. */
  readonly memory: number;
  /** The most events in work at the same time. */
  readonly concurrency: number;
}

/** The settings of a function whose code is a bundle. */
export interface FunctionSpec extends FunctionSettings {
  /** The folder of the bundle. */
  readonly folder: string;
  /** File and export, such as `index.handler`. */
  readonly handler: string;
}

/** The world that a function needs around it. */
export interface LambdaWorld {
  /** Must be the wall clock, because processes run in real time. */
  readonly timeline: Timeline;
  readonly account: Account;
  /** Begins a session of the function's role. Each process has a session of its own. */
  credentials(): Credentials;
  readonly log: LogListener;
}

const failure = (errorType: string, errorMessage: string): InvocationResult => ({
  kind: "error",
  error: { errorType, errorMessage, trace: [] },
});

const traceId = (now: Instant): string => {
  const epoch = Math.floor(now / 1000).toString(16);
  const [root, parent] = [randomBytes(12), randomBytes(8)].map((bytes) => bytes.toString("hex"));
  return `Root=1-${epoch}-${root};Parent=${parent};Sampled=0`;
};

function resultOf(id: string, outcome: ProcessOutcome): InvocationResult {
  if (outcome.kind === "succeeded") return { kind: "ok", payload: outcome.payload };
  if (outcome.kind !== "died") return { kind: "error", error: outcome.error };
  const message = `RequestId: ${id} Error: Runtime exited ${outcome.why}`;
  return failure("Runtime.ExitError", message);
}

/** Runs the bundle of a function in processes on this machine. Each works on one event at a time. */
export class LambdaService implements RunningFunction {
  readonly #spec: FunctionSpec;
  readonly #world: LambdaWorld;
  #processes: readonly FunctionProcess[] = [];

  constructor(spec: FunctionSpec, world: LambdaWorld) {
    this.#spec = spec;
    this.#world = world;
  }

  get arn(): string {
    return arnOf(this.#world.account, "lambda", `function:${this.#spec.name}`);
  }

  /** Gives the function an event, and waits for its result. */
  async invoke(event: unknown): Promise<InvocationResult> {
    this.#processes = this.#processes.filter(({ alive }) => alive);
    const warm = this.#processes.find(({ busy }) => !busy);
    if (warm === undefined && this.#processes.length >= this.#spec.concurrency)
      return { kind: "throttled" };
    const runner = warm ?? this.#newProcess();
    const result = this.#run(runner, event);
    if (warm === undefined) await runner.start();
    return await result;
  }

  /** Kills every process that works on an event, and returns how many there were. */
  crash(): number {
    const busy = this.#processes.filter((process) => process.busy && process.alive);
    for (const process of busy) process.kill();
    return busy.length;
  }

  /** Ends every process. The next event needs a cold start. */
  close(): void {
    for (const process of this.#processes) process.kill();
    this.#processes = [];
  }

  #newProcess(): FunctionProcess {
    const { folder, memory } = this.#spec;
    const { log } = this.#world;
    const started = new FunctionProcess({ folder, memory, log, environment: this.#environment() });
    this.#processes = [...this.#processes, started];
    return started;
  }

  /** Lambda's own variables and those that were deployed; of this machine's environment only the `PATH` is used. @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime */
  #environment(): Record<string, string> {
    const { name, handler, folder, memory, environment } = this.#spec;
    const { region } = this.#world.account;
    const credentials = this.#world.credentials();
    const { PATH = "" } = process.env;
    return {
      PATH,
      LANG: "en_US.UTF-8",
      TZ: ":UTC",
      ...environment,
      _HANDLER: handler,
      LAMBDA_TASK_ROOT: folder,
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_SESSION_TOKEN: credentials.sessionToken,
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory),
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
      AWS_LAMBDA_LOG_STREAM_NAME: "sandbox",
      AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    };
  }

  async #run(runner: FunctionProcess, event: unknown): Promise<InvocationResult> {
    const id = randomUUID();
    const limit = this.#limit(runner);
    const outcome = await runner.give(() => this.#begin(id, event, limit));
    limit.cancel();
    const result = limit.exceeded ? this.#timedOut(id) : resultOf(id, outcome);
    this.#report(id, result, limit.startedAt);
    return result;
  }

  /** Begins an invocation when the process takes the event, so that its time limit does not cover the cold start. */
  #begin(id: string, event: unknown, limit: TimeLimit): Invocation {
    const { timeline, log } = this.#world;
    const now = timeline.now();
    log({ source: "platform", text: `START RequestId: ${id} Version: $LATEST` });
    const deadline = limit.start();
    return { id, event, deadline, functionArn: this.arn, traceId: traceId(now) };
  }

  #limit(runner: FunctionProcess): TimeLimit {
    const { timeline } = this.#world;
    return new TimeLimit(timeline, this.#spec.timeout, () => runner.kill());
  }

  #timedOut(id: string): InvocationResult {
    const limit = (this.#spec.timeout / 1000).toFixed(2);
    const message = `RequestId: ${id} Error: Task timed out after ${limit} seconds`;
    return failure("Sandbox.Timedout", message);
  }

  #report(id: string, result: InvocationResult, startedAt: Instant): void {
    const { timeline, log } = this.#world;
    const say = (text: string) => log({ source: "platform", text });
    const took = between(startedAt, timeline.now()).toFixed(2);
    if (result.kind === "error" && /^(Runtime\.ExitError|Sandbox\.)/.test(result.error.errorType))
      say(`${result.error.errorMessage} ${result.error.errorType}`);
    say(`END RequestId: ${id}`);
    say(`REPORT RequestId: ${id}\tDuration: ${took} ms\tMemory Size: ${this.#spec.memory} MB`);
  }
}

/** Starts a function: with its bundle in processes, or with something else that answers events. */
export type FunctionCode = (settings: FunctionSettings, world: LambdaWorld) => RunningFunction;

/** Runs the bundle in a folder. The handler names file and export, such as `index.handler`. */
export const bundleIn =
  (folder: string, handler = "index.handler"): FunctionCode =>
  (settings, world) =>
    new LambdaService({ ...settings, folder, handler }, world);
