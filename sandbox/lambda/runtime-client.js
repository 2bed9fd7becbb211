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
 * What the Runtime API is told of an error, where ASCII's DEL is escaped.
 *
 * @param {unknown} error
 * @returns {string}
 */
function reportOf(error) {
  if (!(error instanceof Error))
    return JSON.stringify({ errorType: typeof error, errorMessage: String(error), trace: [] });
  const [errorType, errorMessage, stack] = [error.name, error.message, error.stack ?? ""].map(
    (text) => text.replaceAll("\x7F", "%7F"),
  );
  return JSON.stringify({ errorType, errorMessage, trace: stack?.split("\n") });
}

/**
 * @param {string} _
 * @param {unknown} value
 */
const withErrors = (_, value) =>
  value instanceof Error
    ? Object.assign(
        { errorType: value.name, errorMessage: value.message, code: Object(value).code },
        value,
        { stack: value.stack?.split("\n") },
      )
    : value;

/**
 * @param {string} label
 * @param {unknown} thrown
 */
function writeError(label, thrown) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (logFormat === "JSON") write("ERROR", error);
  else write("ERROR", label, `\t${textOf(error)}`);
}

/** @param {Error} error */
function textOf(error) {
  try {
    return JSON.stringify(error, withErrors);
  } catch {
    return reportOf(error);
  }
}

/**
 * A fault of the runtime itself. Its class has the name that a log in JSON shows.
 *
 * @param {string} kind
 * @param {unknown} message
 * @param {unknown} [cause]
 */
function fault(kind, message, cause) {
  const name = kind.endsWith("Error") ? kind : `${kind}Error`;
  const { [name]: Kind = Error } = { [name]: class extends Error {} };
  return Object.assign(new Kind(String(message), { cause }), { name: `Runtime.${kind}` });
}

/** @param {string} stem */
function loadModule(stem) {
  const file = [".js", ".cjs"].map((extension) => stem + extension).find(existsSync) ?? stem;
  try {
    return createRequire(import.meta.url)(file);
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw Object.assign(fault("UserCodeSyntaxError", cause), { stack: cause.stack });
    throw Object(cause).code === "MODULE_NOT_FOUND" ? fault("ImportModuleError", cause) : cause;
  }
}

/** @returns {Handler} */
function loadHandler() {
  const [module = "", name = ""] = basename(handlerName).split(".");
  /** @type {unknown} */
  const loaded = loadModule(join(taskRoot, dirname(handlerName), module))[name];
  if (!loaded) throw fault("HandlerNotFound", `${handlerName} is undefined or not exported`);
  if (typeof loaded !== "function")
    throw fault("HandlerNotFound", `${handlerName} is not a function`);
  if (loaded.length > 2) throw fault("CallbackHandlerDeprecated", noCallbacks);
  return (event, context) => loaded(event, context);
}

const noCallbacks =
  "ERROR: AWS Lambda has removed support for callback-based function handlers starting with Node.js 24. You need to modify this function to use a supported handler signature to use Node.js 24 or later. For more information see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html.";

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
    clientContext: undefined,
    identity: undefined,
    tenantId: undefined,
    xRayTraceId: headers["lambda-runtime-trace-id"],
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
    await turn();
    await call("POST", `invocation/${id}/response`, responseOf(result));
  } catch (error) {
    await turn();
    writeError("Invoke Error", error);
    await call("POST", `invocation/${id}/error`, reportOf(error));
  }
}

/** One turn of the event loop, in which a promise that nobody hears of ends the process. */
const turn = () => new Promise((next) => setImmediate(next));

/**
 * The text of a result. A function or a symbol has none, and the client's library refuses that in these words.
 *
 * @param {unknown} result
 */
function responseOf(result) {
  let text;
  try {
    text = JSON.stringify(result === undefined ? null : result);
  } catch (cause) {
    throw fault("JSONStringifyError", "Unable to stringify response body", cause);
  }
  if (text === undefined) throw new TypeError("Wrong arguments");
  return text;
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
