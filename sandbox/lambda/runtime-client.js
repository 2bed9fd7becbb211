import { patchConsole } from "./runtime-console.js";

// A function's process runs this file: the part of Lambda's runtime for Node.js that the functions need. It is JavaScript
// because it counts as part of every cold start, and Node needs 50 ms of CPU before it can read TypeScript.
// @see https://github.com/aws/aws-lambda-nodejs-runtime-interface-client

// An import would read every export, and so load streams of files, and all of Node's own undici, which takes 40 ms of CPU.
// Lambda's client does not import them either.
const { existsSync } = process.getBuiltinModule("node:fs");
const http = process.getBuiltinModule("node:http");
const { createRequire } = process.getBuiltinModule("node:module");
const { basename, dirname, join } = process.getBuiltinModule("node:path");

/**
 * @import { IncomingHttpHeaders } from "node:http"
 * @typedef {(event: unknown, context: object) => unknown} Handler
 * @typedef {{ readonly headers: IncomingHttpHeaders, readonly body: string }} Answer
 */

const {
  AWS_LAMBDA_RUNTIME_API: api = "",
  AWS_LAMBDA_LOG_FORMAT: logFormat = "Text",
  LAMBDA_TASK_ROOT: taskRoot = "",
  _HANDLER: handlerName = "",
} = process.env;

/** @type {string | undefined} */
let currentId;
const write = patchConsole(logFormat, () => currentId);

/**
 * @param {string} method
 * @param {string} path
 * @returns {Promise<Answer>}
 */
function call(method, path, body = "") {
  const url = `http://${api}/2018-06-01/runtime/${path}`;
  return new Promise((resolve, reject) => {
    const outgoing = http.request(url, { method }, (incoming) => {
      /** @type {Buffer[]} */
      const chunks = [];
      incoming.on("data", (chunk) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () =>
        resolve({ headers: incoming.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/**
 * @param {unknown} error
 * @param {string} [type]
 * @returns {string}
 */
const reportOf = (error, type) => {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof Error ? name : typeof error;
  const trace = (stack ?? "").split("\n");
  return JSON.stringify({ errorType: type ?? known, errorMessage: message, trace });
};

/**
 * @param {string} report
 * @returns {Promise<Answer>}
 */
const fail = (report) =>
  currentId === undefined
    ? call("POST", "init/error", report)
    : call("POST", `invocation/${currentId}/error`, report);

let dying = false;

/**
 * Reports an error that nobody caught, and ends the process, whose state is unknown from then on.
 *
 * @param {string} label
 * @param {string} report
 * @param {number} exitCode
 */
function die(label, report, exitCode) {
  if (dying) return;
  dying = true;
  write("ERROR", label, report);
  fail(report).then(
    () => process.exit(exitCode),
    () => process.exit(exitCode),
  );
}

/** @returns {Handler} */
function loadHandler() {
  const [module = "", name = ""] = basename(handlerName).split(".");
  const stem = join(taskRoot, dirname(handlerName), module);
  const file = [".js", ".cjs"].map((extension) => stem + extension).find(existsSync);
  if (file === undefined)
    throw Object.assign(new Error(`Cannot find module '${module}'`), {
      name: "Runtime.ImportModuleError",
    });
  /** @type {unknown} */
  const loaded = createRequire(import.meta.url)(file)[name];
  if (typeof loaded !== "function")
    throw Object.assign(new Error(`${handlerName} is undefined or not exported`), {
      name: "Runtime.HandlerNotFound",
    });
  return (event, context) => loaded(event, context);
}

/**
 * @param {IncomingHttpHeaders} headers
 * @returns {object}
 */
function contextOf(headers) {
  const { env } = process;
  const deadline = Number(headers["lambda-runtime-deadline-ms"]);
  const {
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_VERSION: functionVersion,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memoryLimitInMB,
    AWS_LAMBDA_LOG_GROUP_NAME: logGroupName,
    AWS_LAMBDA_LOG_STREAM_NAME: logStreamName,
  } = env;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion,
    memoryLimitInMB,
    logGroupName,
    logStreamName,
    invokedFunctionArn: headers["lambda-runtime-invoked-function-arn"],
    awsRequestId: headers["lambda-runtime-aws-request-id"],
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

/**
 * Reports a handler whose promise can never settle, because the event loop has nothing left to do.
 *
 * @param {unknown} work
 * @returns {Promise<unknown>}
 */
function unlessIdle(work) {
  const { promise: idle, reject } = Promise.withResolvers();
  const onIdle = () => {
    const message =
      "The Lambda runtime client detected an unexpected Node.js exit code. This is most commonly caused by a Promise that was never settled.";
    reject(Object.assign(new Error(message), { name: "Runtime.NodeJsExit" }));
  };
  process.once("beforeExit", onIdle);
  return Promise.race([work, idle]).finally(() => process.off("beforeExit", onIdle));
}

/** @param {Handler} handler */
async function serveOne(handler) {
  const { headers, body } = await call("GET", "invocation/next");
  const id = String(headers["lambda-runtime-aws-request-id"]);
  currentId = id;
  Object.assign(process.env, { _X_AMZN_TRACE_ID: headers["lambda-runtime-trace-id"] });
  try {
    const result = await unlessIdle(handler(JSON.parse(body), contextOf(headers)));
    await call("POST", `invocation/${id}/response`, JSON.stringify(result ?? null));
  } catch (error) {
    const report = reportOf(error);
    write("ERROR", "Invoke Error", report);
    await call("POST", `invocation/${id}/error`, report);
  }
}

async function main() {
  const handler = loadHandler();
  for (;;) await serveOne(handler);
}

process.stdout.on("error", () => process.exit(1)); // the sandbox has ended
process.on("uncaughtException", (error) => die("Uncaught Exception", reportOf(error), 129));
process.on("unhandledRejection", (reason) =>
  die("Unhandled Promise Rejection", reportOf(reason, "Runtime.UnhandledPromiseRejection"), 128),
);
main().catch((error) => die("Uncaught Exception", reportOf(error), 129));
