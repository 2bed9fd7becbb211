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
 * @returns {string}
 */
const reportOf = (error) => {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof Error ? name : typeof error;
  const trace = (stack ?? "").split("\n");
  return JSON.stringify({ errorType: known, errorMessage: message, trace });
};

/**
 * @param {string} label
 * @param {unknown} error
 */
const writeError = (label, error) =>
  logFormat === "JSON" && error instanceof Error
    ? write("ERROR", error)
    : write("ERROR", label, reportOf(error));

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

/** @param {Handler} handler */
async function serveOne(handler) {
  const { headers, body } = await call("GET", "invocation/next");
  const id = String(headers["lambda-runtime-aws-request-id"]);
  currentId = id;
  Object.assign(process.env, { _X_AMZN_TRACE_ID: headers["lambda-runtime-trace-id"] });
  try {
    const result = await handler(JSON.parse(body), contextOf(headers));
    await call("POST", `invocation/${id}/response`, JSON.stringify(result ?? null));
  } catch (error) {
    writeError("Invoke Error", error);
    await call("POST", `invocation/${id}/error`, reportOf(error));
  }
}

async function main() {
  const handler = await started();
  for (;;) await serveOne(handler);
}

/** @returns {Promise<Handler>} */
async function started() {
  try {
    return loadHandler();
  } catch (error) {
    writeError("Init Error", error);
    await call("POST", "init/error", reportOf(error));
    throw error;
  }
}

process.stdout.on("error", () => process.exit(1)); // the sandbox has ended
// Nothing is caught here. As with Lambda's client for Node 24, an error that nobody catches ends the process with status 1,
// and a promise that can never settle with 0; a module that waits for it would end with 13.
main().catch((error) => {
  throw error;
});
