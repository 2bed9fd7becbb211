// CloudFormation asks this function for a version of another one. It publishes it if the code is what the template says.
const { request } = require("node:https");
const { setTimeout: sleep } = require("node:timers/promises");
const {
  GetFunctionConfigurationCommand,
  LambdaClient,
  PublishVersionCommand,
} = require("@aws-sdk/client-lambda");

/** @typedef {{ FunctionName: string, CodeSha256: string, Archive: string }} Wanted */
/** @typedef {{ LogicalResourceId: string, PhysicalResourceId?: string, RequestId: string, StackId: string }} Asker */
/** @typedef {{ RequestType: string, ResponseURL: string, ResourceProperties: Wanted } & Asker} Asked */

const lambda = new LambdaClient({});

/** The function is still changing, or IAM does not know of a policy yet. */
const early = ["ResourceConflictException", "AccessDeniedException"];

/**
 * Lambda refuses another hash. If nothing has changed since the last version, it answers with that one.
 * @param {Wanted} wanted @returns {Promise<string | undefined>}
 */
async function published(wanted, tries = 20) {
  const { FunctionName, CodeSha256 } = wanted;
  try {
    const made = await lambda.send(new PublishVersionCommand({ FunctionName, CodeSha256 }));
    if (made.CodeSha256 === CodeSha256) return made.Version;
    throw new Error(`Lambda has published ${made.CodeSha256}`);
  } catch (error) {
    const isEarly = error instanceof Error && early.includes(error.name);
    if (!isEarly || tries === 0) throw error;
    await sleep(3000);
    return published(wanted, tries - 1);
  }
}

/** @param {string} FunctionName @param {string | undefined} Qualifier @returns {Promise<void>} */
async function untilActive(FunctionName, Qualifier, tries = 60) {
  const ask = new GetFunctionConfigurationCommand({ FunctionName, Qualifier });
  const { State } = await lambda.send(ask);
  if (State !== "Pending") return;
  if (tries === 0) throw new Error(`version ${Qualifier} is still Pending`);
  await sleep(3000);
  await untilActive(FunctionName, Qualifier, tries - 1);
}

/** @param {Asked} asked */
async function versionOf({ RequestType, ResourceProperties: wanted }) {
  if (RequestType === "Delete") return {}; // versions go with their function
  const Version = await published(wanted);
  await untilActive(wanted.FunctionName, Version);
  return { Version };
}

/** @param {Wanted} wanted @param {unknown} error */
const refusal = ({ FunctionName, CodeSha256, Archive }, error) =>
  `No version of ${FunctionName} was published (${error}). Its code has to be ${Archive} of the template's release, with the SHA-256 ${CodeSha256}: put the files of the release into the bucket again, and deploy again`;

/** @param {string} url @param {string} body @returns {Promise<void>} */
const answered = (url, body) =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "", "content-length": Buffer.byteLength(body) };
    const put = request(url, { method: "PUT", headers }, (response) => {
      response.resume();
      response.on("end", resolve);
    });
    put.on("error", reject);
    put.end(body);
  });

/** @param {Asked} asked */
exports.handler = async (asked) => {
  const { LogicalResourceId, RequestId, StackId } = asked;
  const { PhysicalResourceId = LogicalResourceId } = asked;
  const asker = { LogicalResourceId, PhysicalResourceId, RequestId, StackId };
  const outcome = await versionOf(asked).then(
    (Data) => ({ Status: "SUCCESS", Data }),
    (error) => ({ Status: "FAILED", Reason: refusal(asked.ResourceProperties, error) }),
  );
  await answered(asked.ResponseURL, JSON.stringify({ ...asker, ...outcome }));
};
