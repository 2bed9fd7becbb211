// As in the client: an import would read every export.
const { format } = process.getBuiltinModule("node:util");

const levels = {
  debug: "DEBUG",
  error: "ERROR",
  info: "INFO",
  log: "INFO",
  trace: "TRACE",
  warn: "WARN",
};

/**
 * Writes a line of the log.
 *
 * @typedef {(level: string, ...said: readonly unknown[]) => void} WriteLine
 */

/** @param {Error} error */
const inJson = (error) => ({
  errorType: error.constructor.name,
  errorMessage: error.message,
  stackTrace: error.stack?.split("\n"),
});

/**
 * Makes the console write time, request and level before each line, as Lambda's runtime does, and returns the function that writes.
 *
 * @see https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/blob/main/src/LogPatch.js
 *
 * @param {string} logFormat
 * @param {() => string | undefined} requestId
 * @returns {WriteLine}
 */
export function patchConsole(logFormat, requestId) {
  /** @type {WriteLine} */
  const write = (level, ...said) => {
    const timestamp = new Date().toISOString();
    const [only] = said;
    const message =
      logFormat === "JSON" && only instanceof Error && said.length === 1
        ? inJson(only)
        : format(...said);
    const line =
      logFormat === "JSON"
        ? JSON.stringify({ timestamp, level, requestId: requestId(), message })
        : `${timestamp}\t${requestId()}\t${level}\t${message}`;
    process.stdout.write(`${line.replaceAll("\n", "\r")}\n`);
  };
  for (const [method, level] of Object.entries(levels))
    Object.assign(console, {
      [method]: (/** @type {unknown[]} */ ...said) => write(level, ...said),
    });
  return write;
}
