import {
  GetParameter$,
  type GetParameterRequest,
  type GetParameterResult,
} from "@aws-sdk/client-ssm";
import { type Account, arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import { type Operation, operation } from "./operation.ts";

/** The parameters of SSM: those of an account, and those below `/aws/` that AWS itself publishes. */
export class Parameters {
  readonly #account: Account;
  readonly #values = new Map<string, string>();

  constructor(account: Account) {
    this.#account = account;
  }

  put(name: string, value: string): void {
    this.#values.set(name, value);
  }

  find(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new AwsError("ParameterNotFound", "");
    return value;
  }

  /** The ARN of a parameter; one that AWS publishes belongs to no account. */
  arnOf(name: string): string {
    const path = name.startsWith("/") ? name : `/${name}`;
    const owner = path.startsWith("/aws/") ? { ...this.#account, id: "" } : this.#account;
    return arnOf(owner, "ssm", `parameter${path}`);
  }
}

/** The operation of SSM that the sandbox supports. */
export const ssmOperations = (parameters: Parameters): readonly Operation[] => [
  operation<GetParameterRequest, GetParameterResult>(GetParameter$, {
    permissions: ({ Name = "" }) => [
      { action: "ssm:GetParameter", resource: parameters.arnOf(Name) },
    ],
    run: ({ Name = "" }) => ({
      Parameter: {
        ARN: parameters.arnOf(Name),
        Name,
        Type: "String",
        Value: parameters.find(Name),
        Version: 1,
      },
    }),
  }),
];
