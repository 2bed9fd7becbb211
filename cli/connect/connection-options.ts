import type { Command } from "commander";

/** How a command finds AWS and the deployment there, as the user gave it. */
export interface DeploymentOptions {
  readonly region?: string;
  readonly profile?: string;
  /** The role that is taken first, by its ARN; the file of a cluster names it. */
  readonly role?: string;
  readonly stack?: string;
  readonly queueUrl?: string;
  readonly json?: boolean;
}

/** How a command finds the cluster besides. */
export interface ConnectionOptions extends DeploymentOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Adds the options by which a command finds AWS. */
export const addAwsOptions = (command: Command): Command =>
  command
    .option(
      "--region <region>",
      "the Region of the cluster, if it is neither in its file nor the usual one",
    )
    .option("--profile <profile>", "the profile of the AWS CLI to sign in with");

/** Adds the options by which a command finds AWS and the deployment there. */
export const addDeploymentOptions = (command: Command): Command =>
  addAwsOptions(command)
    .option("--stack <name>", "the stack of the deployment, if it is not EksNodeLifecycle-CLUSTER")
    .option("--queue-url <url>", "the queue of the notices, where the stack cannot be read")
    .option("--json", "write JSON, one object on each line");

/** Adds the options by which a command finds the cluster, AWS, and the deployment there. */
export const addConnectionOptions = (command: Command): Command =>
  addDeploymentOptions(
    command
      .option("--kubeconfig <file>", "reach the cluster by this file, and not by an EKS token")
      .option(
        "--context <name>",
        "the context in the kubeconfig; without a file, in kubectl's own",
      ),
  );
