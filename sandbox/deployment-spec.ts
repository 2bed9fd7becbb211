import type { Duration } from "../lambda/base/time.ts";
import type { IamName } from "./aws/iam.ts";
import type { MappingSettings } from "./lambda/event-source-mapping.ts";
import type { FunctionCode } from "./lambda/function-code.ts";
import type { FunctionSettings } from "./lambda/lambda-service.ts";

/** The URLs at which the sandbox serves an account. */
export interface Addresses {
  /** The value for `AWS_ENDPOINT_URL`. */
  readonly url: string;
  /** The URL of a queue, by its name. */
  queueUrl(name: string): string;
}

/** A queue to deploy. */
export interface QueueToDeploy {
  readonly name: string;
  readonly visibility: Duration;
  readonly retention: Duration;
  /** Where SQS moves a message that was received too often. */
  readonly redrive:
    | { readonly kind: "none" }
    /** `to` is the name of another queue of the deployment. */
    | { readonly kind: "dead-letters"; readonly to: string; readonly maxReceives: number };
}

/** A topic to deploy, and the queues that subscribe to it. */
export interface TopicToDeploy {
  readonly name: string;
  readonly subscriptions: readonly {
    readonly queue: string;
    readonly delivery: "enveloped" | "raw";
  }[];
}

/** A function to deploy. */
export interface FunctionToDeploy extends Omit<FunctionSettings, "environment"> {
  /** The name of its role. */
  readonly role: string;
  readonly code: FunctionCode;
  /** Where its lines go. @default the log group that Lambda makes */
  readonly logGroup?: string;
  /** The environment of the function when the sandbox serves the account at these addresses. */
  environment(addresses: Addresses): Readonly<Record<string, string>>;
}

/** An event source mapping to deploy: the function works on the messages of the queue. */
export interface MappingToDeploy {
  readonly queue: string;
  readonly function: string;
  readonly settings: MappingSettings;
}

/** A whole deployment, in which queues, roles and functions refer to each other by name. */
export interface DeploymentSpec {
  readonly roles: readonly IamName[];
  readonly queues: readonly QueueToDeploy[];
  readonly topics: readonly TopicToDeploy[];
  readonly functions: readonly FunctionToDeploy[];
  readonly mappings: readonly MappingToDeploy[];
}
