import { type Account, arnOf, iamArnOf } from "../aws/account.ts";
import type { StackTemplate } from "./template-schema.ts";

/** The name of the stack, and the address of its queues. */
export interface StackPlace {
  readonly account: Account;
  /** @default "stack" */
  readonly stackName?: string;
  queueUrl(name: string): string;
  /** The id of a role, by its name. @default the name */
  roleId?(name: string): string;
}

/** Resolves the references of a template. The name of each resource is its logical id. */
export class StackNames {
  readonly #template: StackTemplate;
  readonly #place: StackPlace;

  constructor(template: StackTemplate, place: StackPlace) {
    this.#template = template;
    this.#place = place;
  }

  /** The ARN of a resource, by its logical id. */
  arn(id: string): string {
    const { account } = this.#place;
    const resource = this.#template.Resources[id];
    switch (resource?.Type) {
      case "AWS::SNS::Topic":
        return arnOf(account, "sns", id);
      case "AWS::SQS::Queue":
        return arnOf(account, "sqs", id);
      case "AWS::IAM::Role":
        return iamArnOf(account, `role/${id}`);
      case "AWS::KMS::Key":
        return arnOf(account, "kms", `key/${id}`);
      case "AWS::Lambda::Function":
        return arnOf(account, "lambda", `function:${id}`);
      case "AWS::Lambda::Alias":
        return `${this.arn(this.text(resource?.Properties["FunctionName"]))}:${resource?.Properties["Name"]}`;
      case "AWS::Events::Rule":
        return arnOf(account, "events", `rule/${id}`);
      case "AWS::Logs::LogGroup":
        return arnOf(account, "logs", `log-group:${id}:*`);
      default:
        throw new Error(`${id} has no ARN here`);
    }
  }

  /** The logical id of the resource that a value names by its ARN. */
  idOf(value: unknown): string {
    const arn = withoutAlias(this.text(value));
    const id = arn.split(/[:/]/).at(-1) ?? "";
    if (this.arn(id) === arn) return id;
    throw new Error(`${arn} is not the ARN of a resource of the template`);
  }

  /** The ARN of the function or of the alias that a value names, by a name or by this ARN. */
  functionArn(value: unknown): string {
    const name = this.text(value);
    return name.startsWith("arn:") ? name : this.arn(name);
  }

  /** A value of the template as text, with its references resolved. */
  text(value: unknown): string {
    if (typeof value !== "object" || value === null) return String(value);
    if ("Ref" in value) return this.#reference(String(value.Ref));
    if ("Fn::GetAtt" in value) return this.#attribute(listed(value["Fn::GetAtt"]));
    if ("Fn::Join" in value) {
      const [separator, parts] = listed(value["Fn::Join"]);
      return listed(parts)
        .map((part) => this.text(part))
        .join(String(separator));
    }
    throw new Error(`cannot read ${JSON.stringify(value)}`);
  }

  /** A value of the template in which every reference is resolved, such as the document of a policy. */
  deep(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.deep(one));
    if (typeof value !== "object" || value === null) return value;
    if ("Ref" in value || Object.keys(value).some((key) => key.startsWith("Fn::")))
      return this.text(value);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.deep(one)]));
  }

  #attribute([id, attribute]: readonly unknown[]): string {
    if (attribute === "RoleId") return this.#place.roleId?.(String(id)) ?? String(id);
    return attribute === "Arn" ? this.arn(String(id)) : String(id);
  }

  #reference(id: string): string {
    const { stackName = "stack" } = this.#place;
    const { partition, region, id: account } = this.#place.account;
    const pseudo = new Map([
      ["AWS::AccountId", account],
      ["AWS::Partition", partition],
      ["AWS::Region", region],
      ["AWS::StackName", stackName],
      ["AWS::URLSuffix", "amazonaws.com"],
    ]).get(id);
    if (pseudo !== undefined) return pseudo;
    const type = this.#template.Resources[id]?.Type;
    if (type === undefined) throw new Error(`the template refers to ${id}, which is not in it`);
    if (type === "AWS::SQS::Queue") return this.#place.queueUrl(id);
    return type === "AWS::SNS::Topic" || type === "AWS::Lambda::Alias" ? this.arn(id) : id;
  }
}

/** The ARN of a function without that of its alias. */
const withoutAlias = (arn: string): string => arn.replace(/(:function:[^:]+):[^:]+$/, "$1");

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
