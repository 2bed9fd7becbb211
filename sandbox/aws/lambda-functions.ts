import {
  type FunctionConfiguration,
  GetFunctionConfiguration$,
  type GetFunctionConfigurationRequest,
} from "@aws-sdk/client-lambda";
import type { Instant } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import { type Account, arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import { type Operation, operation } from "./operation.ts";
import type { Records } from "./record-calls.ts";

/** What Lambda knows of a function besides its code. */
export interface FunctionRecord {
  readonly name: string;
  readonly role: string;
  readonly environment: Readonly<Record<string, string>>;
  /** In MB. */
  readonly memory: number;
  /** In seconds. */
  readonly timeout: number;
  readonly state: "Active" | "Failed" | "Inactive" | "Pending";
  readonly modifiedAt: Instant;
}

type NewFunction = Omit<FunctionRecord, "modifiedAt" | "state">;

/** The functions of an account, as Lambda's API describes them. */
export class LambdaFunctions {
  readonly #timeline: Timeline;
  readonly #account: Account;
  readonly #functions = new Map<string, FunctionRecord>();

  constructor(timeline: Timeline, account: Account) {
    this.#timeline = timeline;
    this.#account = account;
  }

  /** Records a function that has been deployed. */
  add(made: NewFunction): void {
    const modifiedAt = this.#timeline.now();
    this.#functions.set(made.name, { ...made, state: "Active", modifiedAt });
  }

  /** Changes what Lambda reports about a function. */
  update(name: string, change: Partial<Omit<FunctionRecord, "name">>): void {
    this.#functions.set(name, { ...this.find(name), ...change });
  }

  /** Forgets a function, as if somebody had deleted it. */
  delete(name: string): void {
    this.#functions.delete(name);
  }

  /** Finds a function by its name or its ARN. */
  find(nameOrArn: string): FunctionRecord {
    const name = nameOrArn.split(":").at(-1) ?? "";
    const found = this.#functions.get(name);
    if (found !== undefined) return found;
    const message = `Function not found: ${this.arnOf(name)}`;
    throw new AwsError("ResourceNotFoundException", message, { status: 404 });
  }

  arnOf(name: string): string {
    return arnOf(this.#account, "lambda", `function:${name.split(":").at(-1)}`);
  }
}

const wireFunction = (
  { name, role, environment, memory, timeout, state, modifiedAt }: FunctionRecord,
  arn: string,
): FunctionConfiguration => ({
  FunctionName: name,
  FunctionArn: arn,
  Role: role,
  Runtime: "nodejs24.x",
  Handler: "index.handler",
  MemorySize: memory,
  Timeout: timeout,
  State: state,
  LastUpdateStatus: "Successful",
  LastModified: new Date(modifiedAt).toISOString().replace("Z", "+0000"),
  Environment: { Variables: { ...environment } },
});

/** The operations of Lambda that the sandbox supports. */
export const lambdaOperations = (
  functions: LambdaFunctions,
  records: Records,
): readonly Operation[] => [
  operation<GetFunctionConfigurationRequest, FunctionConfiguration>(GetFunctionConfiguration$, {
    permissions: ({ FunctionName: name = "" }) => [
      { action: "lambda:GetFunctionConfiguration", resource: functions.arnOf(name) },
    ],
    run: ({ FunctionName: wanted = "" }) => {
      const its = functions.find(wanted);
      return {
        ...wireFunction(its, functions.arnOf(its.name)),
        ...records.functions.get(its.name),
      };
    },
  }),
];
