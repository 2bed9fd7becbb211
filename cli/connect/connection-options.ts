import { type Command, InvalidArgumentError } from "commander";

/** The options that say how to reach AWS and the deployment. */
export interface DeploymentOptions {
  readonly region?: string;
  readonly profile?: string;
  /** The ARN of a role to assume first; the cluster's file names it. */
  readonly role?: string;
  readonly stack?: string;
  readonly queueUrl?: string;
  readonly json?: boolean;
}

/** The options that also say how to reach the cluster. */
export interface ConnectionOptions extends DeploymentOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export const addAwsOptions = (command: Command): Command =>
  command
    .option(
      "--region <region>",
      "the Region of the cluster, if it is neither in its file nor the usual one",
    )
    .option("--profile <profile>", "the profile of the AWS CLI to sign in with");

/** Adds the options for AWS and the deployment. */
export const addDeploymentOptions = (command: Command): Command =>
  addAwsOptions(command)
    .option("--stack <name>", "the stack of the deployment, if it is not EksNodeLifecycle-CLUSTER")
    .option(
      "--queue-url <url>",
      "the queue of the notices, where the stack cannot be read",
      queueUrl,
    )
    .option("--json", "write JSON, one object on each line");

function queueUrl(text: string): string {
  // An empty one is refused with the other empty options.
  if (/^(?:https?:\/\/[^\s/]+(?:\/[^\s/]+)*\/\d{12}\/[\w.-]+)?$/.test(text)) return text;
  throw new InvalidArgumentError(
    "Give the URL of a queue, as https://sqs.eu-west-1.amazonaws.com/123456789012/NAME.",
  );
}

/** Adds the options for AWS, the deployment and the cluster. */
export const addConnectionOptions = (command: Command): Command =>
  addDeploymentOptions(
    command
      .option("--kubeconfig <file>", "reach the cluster by this file, and not by an EKS token")
      .option(
        "--context <name>",
        "the context in the kubeconfig; without a file, in kubectl's own",
      ),
  );
