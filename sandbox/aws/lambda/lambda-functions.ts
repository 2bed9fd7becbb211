import type { Instant } from "../../../lambda/base/time.ts";
import type { Timeline } from "../../timeline.ts";
import { type Account, arnOf } from "../account.ts";
import { AwsError } from "../aws-error.ts";

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
