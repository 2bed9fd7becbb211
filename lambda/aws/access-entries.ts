import {
  type AccessEntry,
  CreateAccessEntryCommand,
  DescribeAccessEntryCommand,
  type EKSClient,
} from "@aws-sdk/client-eks";
import { type Clock, sleepFor } from "../base/clock.port.ts";
import { nodeEntryTypes } from "../base/contract.ts";
import { Fault } from "../base/fault.ts";
import { minutes, seconds } from "../base/time.ts";
import type { Platform } from "../group/ec2-instance.ts";
import type { RoleRegistry } from "../launch/launch.port.ts";
import type { NodeRole, Registration } from "../launch/node-mapping.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import { ask } from "./aws-fault.ts";

/** The cluster in which access entries are created. */
export interface AccessEntriesOptions {
  readonly eks: EKSClient;
  readonly clusterName: string;
  readonly clock: Clock;
}

const typeOf: Readonly<Record<Platform, string>> = nodeEntryTypes;

// An entry for Windows nodes lets Linux nodes join as well. The reverse does not hold.
const nodeTypes: Readonly<Record<Platform, readonly string[]>> = {
  linux: ["EC2_LINUX", "EC2_WINDOWS"],
  windows: ["EC2_WINDOWS"],
};

const mostLooks = 10;

/** Registers the roles of nodes by access entries, one for each role. */
export class AccessEntries implements RoleRegistry {
  readonly #options: AccessEntriesOptions;
  // Somebody may delete an entry; EKS allows few calls.
  readonly #registered: TtlCache<Registration>;
  readonly #present: TtlCache<boolean>;

  constructor(options: AccessEntriesOptions) {
    this.#options = options;
    this.#registered = new TtlCache(options.clock, () => minutes(5));
    this.#present = new TtlCache(options.clock, () => seconds(10));
  }

  async register(role: NodeRole): Promise<Registration> {
    let asked: Promise<Registration> | undefined;
    const key = `${role.arn} ${role.platform}`;
    const registered = await this.#registered.recall(key, () => {
      asked = this.#register(role);
      return asked;
    });
    return asked === undefined ? { ...registered, change: "none" } : registered;
  }

  async #register(role: NodeRole): Promise<Registration> {
    const change = await this.#create(role);
    const type = await this.#entryType(role, mostLooks);
    if (!nodeTypes[role.platform].includes(type))
      throw new Fault(
        "access.wrong-type",
        `registering ${role.arn} as nodes: its access entry is of type ${type}, not ${typeOf[role.platform]}`,
      );
    return { by: "access-entry", change, version: "" };
  }

  #create({ arn: principalArn, platform }: NodeRole): Promise<Registration["change"]> {
    const { eks, clusterName } = this.#options;
    const entry = { clusterName, principalArn, type: typeOf[platform] };
    const added = async () => {
      await eks.send(new CreateAccessEntryCommand(entry));
      return "added" as const;
    };
    const doing = `creating an access entry for ${principalArn}`;
    return ask(doing, added, [/^ResourceInUse/, "none"]);
  }

  /** Whether a role has an access entry, of whatever type; asked at most once in ten seconds. */
  has(role: NodeRole): Promise<boolean> {
    return this.#present.recall(role.arn, async () => (await this.#tryEntryType(role)) !== "none");
  }

  /** The type of the entry, once EKS shows it: a new entry takes seconds to appear. */
  async #entryType(role: NodeRole, looks: number): Promise<string> {
    for (let left = looks; ; left -= 1) {
      const type = await this.#tryEntryType(role);
      if (type !== "none") return type;
      if (left === 0)
        throw new Fault("aws.refused", `reading the access entry of ${role.arn}: EKS has none`);
      await sleepFor(seconds(1), this.#options.clock);
    }
  }

  #tryEntryType({ arn: principalArn }: NodeRole): Promise<string | "none"> {
    const { eks, clusterName } = this.#options;
    const command = new DescribeAccessEntryCommand({ clusterName, principalArn });
    const read = async () => {
      const { accessEntry } = await eks.send(command);
      const found: AccessEntry = accessEntry ?? {};
      return found.type ?? "unknown";
    };
    const doing = `reading the access entry of ${principalArn}`;
    return ask(doing, read, [/^ResourceNotFound/, "none"]);
  }
}
