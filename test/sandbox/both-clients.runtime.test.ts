import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import type { InvocationResult, LogLine } from "../../sandbox/lambda/invocation.ts";
import { LambdaService } from "../../sandbox/lambda/lambda-service.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { account } from "../support/aws-account.ts";
import { runtimeClient, runtimeEmulator } from "../support/foreign-runtime.ts";
import { propertyRuns } from "../support/property-runs.ts";

/** What handlers do, each a body in JavaScript that has an event and a context. */
const handled = {
  "returns an object": `return { batchItemFailures: [{ itemIdentifier: "1" }] };`,
  "returns nothing": `return;`,
  "returns null": `return null;`,
  "returns a text": `return "ü\\n\\u0000\\ud800";`,
  "returns no number": `return NaN;`,
  "returns a date": `return new Date(0);`,
  "returns a map": `return new Map([[1, 2]]);`,
  "returns a function": `return () => 1;`,
  "returns a circle": `const circle = {}; circle.self = circle; return circle;`,
  "returns a big number": `return 1n;`,
  "answers later": `return await new Promise((done) => setTimeout(done, 20, "late"));`,
  "throws an error": `throw new TypeError("no such luck");`,
  "throws an error with a code": `throw Object.assign(new Error("no"), { code: "config.invalid", retryable: false });`,
  "throws an error with a name": `class Fault extends Error { name = "Fault" }; throw new Fault("two\\nlines");`,
  "throws an error with a cause": `throw new Error("outer", { cause: new RangeError("inner") });`,
  "throws an error of several": `throw new AggregateError([new Error("one")], "several");`,
  "throws an error without a stack": `const error = new Error("bare"); error.stack = ""; throw error;`,
  "throws an error with DEL in it": `throw new Error("\\x7f");`,
  "throws an error whose properties are a circle": `const error = new Error("round"); error.self = { error }; throw error;`,
  "throws a text": `throw "just text";`,
  "throws nothing": `throw undefined;`,
  "throws an object": `throw { message: "an object" };`,
  "logs at every level": `for (const level of ["trace", "debug", "info", "log", "warn", "error", "fatal"]) console[level](level);`,
  "logs values": `console.log({ a: 1, list: ["x"] }); console.log("%s and %d", "text", 5, { more: true }); console.log(); console.log(null); console.log(7n);`,
  "logs errors": `const error = Object.assign(new RangeError("told"), { code: 5 }); console.error(error); console.error("with words", error); console.log({ inside: error });`,
  "logs two lines": `console.log("two\\nlines");`,
  "logs a circle": `const circle = {}; circle.self = circle; console.log(circle);`,
  "writes by itself": `process.stdout.write('{"own":"line"}\\n');`,
  "tells its context": `const { getRemainingTimeInMillis: left, xRayTraceId, ...more } = context; return { ...more, keys: Object.keys(context).sort(), left: left() > 0 && left() <= 60_000 };`,
  "tells its trace": `return (process.env._X_AMZN_TRACE_ID ?? "") === context.xRayTraceId;`,
} as const;

/** What ends a process, and so comes alone. */
const fatal = {
  "never settles": `return await new Promise(() => undefined);`,
  "leaves a rejection to nobody": `Promise.reject(new Error("unheard")); return "answered";`,
  "throws where nobody catches": `setTimeout(() => { throw new RangeError("thrown"); }, 1); return await new Promise((done) => setTimeout(done, 60_000));`,
  "throws what has no text": `throw Object.create(null);`,
  exits: `process.exit(7);`,
  "kills itself": `process.kill(process.pid, "SIGTERM"); return await new Promise((done) => setTimeout(done, 60_000));`,
} as const;

const cases = Object.entries({ ...handled, ...fatal }).map(
  ([name, body]) => `  ${JSON.stringify(name)}: async (event, context) => { ${body} },`,
);

const behaviour = `
const does = {
${cases.join("\n")}
  "returns what it is given": async (event) => event.value,
  "throws what it is given": async ({ name, message }) => { throw Object.assign(new Error(message), { name }); },
};
exports.handler = async (event, context) => does[event.do](event, context);
`;

/** Modules that cannot start, and the handler to ask for. */
const broken = {
  "is not there": [undefined, "index.handler"],
  "does not parse": ["exports.handler = async () => {", "index.handler"],
  "throws when it loads": ["throw new TypeError('at the start');", "index.handler"],
  "lacks a package": ["require('absent-package');", "index.handler"],
  "exports no handler": ["exports.other = 1;", "index.handler"],
  "exports something else": ["exports.handler = 1;", "index.handler"],
  "wants a callback": [
    "exports.handler = (event, context, callback) => callback();",
    "index.handler",
  ],
  "exits when it loads": ["process.exit(3);", "index.handler"],
} as const;

const own = "";
const emulated = join(import.meta.dirname, "../support/emulated-client.ts");
const direct = [own, runtimeClient];
const clients = existsSync(runtimeEmulator) ? [...direct, emulated] : direct;

interface Code {
  readonly source: string | undefined;
  readonly handler?: string;
  readonly format?: "JSON" | "Text";
}

/** A function in a client, until the test ends. */
function aFunction(client: string, code: Code) {
  const { source, handler = "index.handler", format = "Text" } = code;
  vi.stubEnv("LAMBDA_RUNTIME_CLIENT", client === own ? undefined : client);
  const folder = mkdtempSync(join(tmpdir(), "function-"));
  if (source !== undefined) writeFileSync(join(folder, "index.cjs"), source);
  const timeline = new WallTimeline();
  const lines: LogLine[] = [];
  const environment = { AWS_LAMBDA_LOG_FORMAT: format };
  const spec = { name: "drain", folder, handler, timeout: minutes(1), memory: 512, concurrency: 1 };
  const service = new LambdaService(
    { ...spec, environment },
    {
      timeline,
      account,
      credentials: () => ({ accessKeyId: "A", secretAccessKey: "s", sessionToken: "t" }),
      log: (line) => lines.push(line),
    },
  );
  onTestFinished(() => {
    service.close();
    timeline.stop();
    rmSync(folder, { recursive: true });
  });
  const shown = (value: unknown): unknown => JSON.parse(alike(JSON.stringify(value), folder));
  return {
    /** The answer to an event, and what the function has written meanwhile. */
    async does(event: object) {
      const from = lines.length;
      const result = shown(withOwnTrace(await service.invoke(event)));
      const written = lines.slice(from).filter(({ source: by }) => by === "function");
      const told = written.map(({ text }) => text).filter((text) => /^({|\d{4}-)/.test(text));
      return { result, told: told.map((text) => alike(text, folder)) };
    },
  };
}

type Made = ReturnType<typeof aFunction>;

/** Without what every run has of its own: times, ids, folders, and where a stack has been. */
const alike = (text: string, folder: string): string =>
  text
    .replaceAll(folder, "FOLDER")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f-]{22,}/g, "ID")
    .replaceAll(/arn:aws:lambda:[\w-]+:\d{12}:/g, "ARN:")
    .replaceAll(/,"\s+at (?:[^"\\]|\\.)*"/g, "")
    .replaceAll(/(?:\\n|\\r|\r) +at [^\r"\\]*?:\d+:\d+\)?/g, "");

/** A module that is not found names those that looked for it, which are the client's. */
const withOwnTrace = (result: InvocationResult): InvocationResult =>
  result.kind === "error" && /Cannot find module/.test(result.error.errorMessage)
    ? { kind: "error", error: { ...result.error, errorMessage: "Cannot find module", trace: [] } }
    : result;

describe("the sandbox's client, AWS' and AWS' in Lambda's emulator", () => {
  afterAll(() => void vi.unstubAllEnvs());

  it.each(["Text", "JSON"] as const)(
    "answer and write the same, whatever a handler does, where the log is %s",
    async (format) => {
      const [first, ...others] = await each({ source: behaviour, format }, async ({ does }) => {
        const done: Record<string, unknown> = {};
        for (const name of Object.keys(handled)) done[name] = await does({ do: name });
        return done;
      });
      for (const other of others) expect(first).toEqual(other);
    },
  );

  it.each(Object.keys(fatal))("end the same way where a handler %s", async (name) => {
    const doing = ({ does }: Made) => does({ do: name });
    const [first, ...others] = await each({ source: behaviour }, doing);
    for (const other of others) expect(first).toEqual(other);
  });

  // The emulator starts a function again that ends before its first event, and then has no words of its end.
  it.each(Object.entries(broken))(
    "say the same of a module that %s",
    async (_, [source, handler]) => {
      const [first, ...others] = await each({ source, handler }, ({ does }) => does({}), direct);
      for (const other of others) expect(first?.result).toEqual(other.result);
    },
  );

  it("bring every value and every error to their caller, whatever is in it", async () => {
    const functions: Made[] = [];
    for (const client of clients) {
      const made = aFunction(client, { source: behaviour });
      await made.does({ do: "returns nothing" }); // its process starts in this client
      functions.push(made);
    }
    const event = fc.oneof(
      fc.record({ do: fc.constant("returns what it is given"), value: fc.jsonValue() }),
      fc.record({
        do: fc.constant("throws what it is given"),
        name: fc.string({ unit: "binary" }),
        message: fc.string({ unit: "binary" }),
      }),
    );
    const answersAlike = fc.asyncProperty(event, async (given) => {
      const [first, ...others] = await Promise.all(functions.map(({ does }) => does(given)));
      for (const other of others) expect(first?.result).toEqual(other.result);
    });
    await fc.assert(answersAlike, { numRuns: propertyRuns(100) });
  });
});

/** What a function comes to in each client. */
async function each<Found>(
  code: Code,
  doing: (made: Made) => Promise<Found>,
  among: readonly string[] = clients,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const client of among) found.push(await doing(aFunction(client, code)));
  return found;
}
