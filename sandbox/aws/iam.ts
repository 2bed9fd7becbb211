import { randomBytes } from "node:crypto";
import { type Account, iamArnOf, withoutPath } from "./account.ts";
import { AwsError } from "./aws-error.ts";

/** The name of an IAM object, and the path before the name. */
export interface IamName {
  readonly name: string;
  /** Begins and ends with a slash. */
  readonly path: string;
}

interface IamThing extends IamName {
  readonly arn: string;
}

/** A role. */
export interface IamRole extends IamThing {
  /** IAM never uses an id twice, even for a later role of the same name. */
  readonly id: string;
  /** The service that may assume the role. */
  readonly service: string;
}

/** An instance gets its role from its instance profile. */
export interface InstanceProfile extends IamThing {
  readonly roles: readonly IamRole[];
}

const uniqueId = (prefix: string): string =>
  prefix + randomBytes(9).toString("hex").toUpperCase().slice(0, 17);

/** The roles and instance profiles of an account. */
export class Iam {
  readonly #account: Account;
  readonly #roles = new Map<string, IamRole>();
  readonly #profiles = new Map<string, InstanceProfile>();

  constructor(account: Account) {
    this.#account = account;
  }

  /** Creates a role; it replaces a role of the same name and gets another id. */
  createRole({ name, path, service = "ec2" }: IamName & { readonly service?: string }): IamRole {
    const arn = iamArnOf(this.#account, `role${path}${name}`);
    const role = { name, path, arn, id: uniqueId("AROA"), service };
    this.#roles.set(name, role);
    return role;
  }

  createInstanceProfile({ name, path }: IamName, roles: readonly IamRole[]): InstanceProfile {
    const arn = iamArnOf(this.#account, `instance-profile${path}${name}`);
    const profile = { name, path, arn, roles };
    this.#profiles.set(name, profile);
    return profile;
  }

  /** Finds a role by its ARN, either with its path or without it, as STS writes it. */
  tryFindRole(arn: string): IamRole | undefined {
    const roles = [...this.#roles.values()];
    return roles.find((role) => role.arn === arn || withoutPath(role.arn) === arn);
  }

  /** Finds an instance profile by name. */
  findInstanceProfile(name: string): InstanceProfile {
    const profile = this.#profiles.get(name);
    if (profile !== undefined) return profile;
    throw new AwsError("NoSuchEntity", `Instance Profile ${name} cannot be found.`, {
      status: 404,
    });
  }

  /** The ARN of an instance profile, or the ARN it would have if it existed. */
  instanceProfileArn(name: string): string {
    const own = this.#profiles.get(name)?.arn;
    return own ?? iamArnOf(this.#account, `instance-profile/${name}`);
  }
}
