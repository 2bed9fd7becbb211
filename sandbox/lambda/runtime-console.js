// As in the client: an import would read every export.
const { format } = process.getBuiltinModule("node:util");

/** The methods of the console, each with its level, from the lowest on. */
const methods = /** @type {const} */ ([
  ["trace", "TRACE"],
  ["debug", "DEBUG"],
  ["info", "INFO"],
  ["log", "INFO"],
  ["warn", "WARN"],
  ["error", "ERROR"],
  ["fatal", "FATAL"],
]);

/**
 * Writes a line of the log.
 *
 * @typedef {(level: string, ...said: readonly unknown[]) => void} WriteLine
 */

/** @param {Error} error */
const wordsOf = (error) => ({
  errorType: error.constructor.name,
  errorMessage: error.message,
  stackTrace: error.stack?.split("\n"),
});

/**
 * @param {string} _
 * @param {unknown} value
 */
const withErrors = (_, value) =>
  value instanceof Error ? Object.assign(wordsOf(value), value) : value;

/**
 * @param {object} line
 * @param {readonly unknown[]} said
 */
function jsonOf(line, [message, ...others]) {
  const error = others.find((one) => one instanceof Error);
  if (others.length > 0)
    return JSON.stringify({
      ...line,
      message: format(message, ...others),
      ...(error && wordsOf(error)),
    });
  try {
    return JSON.stringify({ ...line, message }, withErrors);
  } catch {
    return JSON.stringify({ ...line, message: format(message) });
  }
}

/**
 * Makes the console write time, request and level before each line, as Lambda's runtime does, and returns the function that writes.
 *
 * @see https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/tree/main/src/logging
 *
 * @param {string} logFormat
 * @param {() => string | undefined} current
 * @returns {WriteLine}
 */
export function patchConsole(logFormat, current) {
  /** @type {WriteLine} */
  const write = (level, message, ...others) => {
    const timestamp = new Date().toISOString();
    const requestId = current() ?? "-";
    const line =
      logFormat === "JSON"
        ? jsonOf({ timestamp, level, requestId }, [message, ...others])
        : `${timestamp}\t${requestId}\t${level}\t${format(message, ...others)}`;
    process.stdout.write(`${line.replaceAll("\n", "\r")}\n`);
  };
  for (const [method, level] of methods)
    Object.assign(console, {
      [method]: (/** @type {unknown[]} */ ...said) => write(level, ...said),
    });
  return write;
}
