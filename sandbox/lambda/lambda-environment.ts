import type { Account } from "../aws/account.ts";
import type { Credentials } from "../aws/credentials/access-keys.ts";

/** What the environment of a function is made of. */
export interface EnvironmentSource {
  readonly account: Account;
  readonly name: string;
  readonly handler: string;
  readonly folder: string;
  readonly memory: number;
  readonly credentials: Credentials;
  /** What the function was deployed with. */
  readonly deployed: Readonly<Record<string, string>>;
  /** The `PATH` of this machine. Nothing else of its environment is used. */
  readonly path: string;
}

/** Makes the environment of a function's process: Lambda's own variables and those that were deployed. @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime */
export function lambdaEnvironment(source: EnvironmentSource): Record<string, string> {
  const { account, name, handler, folder, memory, credentials, deployed, path } = source;
  return {
    PATH: path,
    LANG: "en_US.UTF-8",
    TZ: ":UTC",
    ...deployed,
    _HANDLER: handler,
    LAMBDA_TASK_ROOT: folder,
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_REGION: account.region,
    AWS_DEFAULT_REGION: account.region,
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
