import { randomBytes } from "node:crypto";
import { type Duration, type Instant, later } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { Account } from "./account.ts";

/** A principal that AWS knows: the owner of an access key. */
export interface Principal {
  /** As STS writes it: a role's session is `assumed-role/NAME/SESSION`, without the role's path. */
  readonly arn: string;
  /** As STS writes it: `AROA…:SESSION` for a role's session. */
  readonly userId: string;
}

/** The credentials that a client signs with. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Empty for a long-term key. */
  readonly sessionToken: string;
}

/** An access key that AWS has given out. */
export interface AccessKey extends Credentials {
  readonly principal: Principal;
  readonly expires: Instant | "never";
}

const letters = (prefix: string): string =>
  prefix + randomBytes(8).toString("hex").toUpperCase().slice(0, 16);

/** The access keys of the account and of its roles' sessions. */
export class AccessKeys {
  readonly #timeline: Timeline;
  readonly #account: Account;
  readonly #keys = new Map<string, AccessKey>();
  readonly #listeners: ((key: AccessKey) => void)[] = [];

  constructor(timeline: Timeline, account: Account) {
    this.#timeline = timeline;
    this.#account = account;
  }

  /** Calls the listener for every new key, so that another checker of signatures knows it too. */
  onAdded(listener: (key: AccessKey) => void): void {
    this.#listeners.push(listener);
  }

  add(key: AccessKey): AccessKey {
    this.#keys.set(key.accessKeyId, key);
    for (const listener of this.#listeners) listener(key);
    return key;
  }

  /** Begins a session of a role, as `sts:AssumeRole` does. */
  assume({
    role,
    sessionName,
    duration,
  }: {
    readonly role: { readonly name: string; readonly id: string };
    readonly sessionName: string;
    readonly duration: Duration;
  }): AccessKey {
    const { partition, id } = this.#account;
    return this.add({
      accessKeyId: letters("ASIA"),
      secretAccessKey: randomBytes(30).toString("base64"),
      sessionToken: randomBytes(120).toString("base64"),
      principal: {
        arn: `arn:${partition}:sts::${id}:assumed-role/${role.name}/${sessionName}`,
        userId: `${role.id}:${sessionName}`,
      },
      expires: later(this.#timeline.now(), duration),
    });
  }

  all(): readonly AccessKey[] {
    return [...this.#keys.values()];
  }

  find(accessKeyId: string): AccessKey | undefined {
    return this.#keys.get(accessKeyId);
  }
}
