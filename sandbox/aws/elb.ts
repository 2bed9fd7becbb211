import { later, milliseconds } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import { type Account, arnOf } from "./account.ts";
import { Pool, type PoolSpec, poolDefaults } from "./pool.ts";

type NewPool = Pick<PoolSpec, "name"> & Partial<PoolSpec>;

// The time between Auto Scaling's looks whether its instance has left.
const pace = milliseconds(500);

/** The load balancers of an account, of both generations. */
export class Elb {
  readonly account: Account;
  readonly #timeline: Timeline;
  readonly #pools = new Map<string, Pool>();

  constructor(timeline: Timeline, account: Account) {
    this.#timeline = timeline;
    this.account = account;
  }

  /** Creates a target group, or a classic load balancer. */
  create(spec: NewPool): Pool {
    const pool = new Pool(this.#timeline, { ...poolDefaults, ...spec });
    this.#pools.set(pool.spec.name, pool);
    return pool;
  }

  delete(name: string): void {
    this.#pools.delete(name);
  }

  pools(kind: PoolSpec["kind"]): readonly Pool[] {
    return [...this.#pools.values()].filter(({ spec }) => spec.kind === kind);
  }

  tryFind(name: string): Pool | undefined {
    return this.#pools.get(name);
  }

  /** The ARN of a target group. */
  targetGroupArn({ spec }: Pool): string {
    const id = Buffer.from(spec.name).toString("hex").padEnd(16, "0").slice(0, 16);
    return arnOf(this.account, "elasticloadbalancing", `targetgroup/${spec.name}/${id}`);
  }

  /** Takes an instance out of every pool that follows the labels of nodes, as a controller in the cluster does. */
  exclude(instance: string): void {
    for (const pool of this.#pools.values())
      if (pool.spec.follows === "labels") pool.deregister(instance);
  }

  /** Takes an instance out of the pools of its Auto Scaling group, and goes on when it has left them. */
  leave(names: readonly string[], instance: string, goOn: () => void): void {
    const pools = names.flatMap((name) => this.#pools.get(name) ?? []);
    for (const pool of pools) pool.deregister(instance);
    const has = ({ instance: other }: { readonly instance: string }) => other === instance;
    const look = () => {
      if (!pools.some((pool) => pool.targets().some(has))) goOn();
      else this.#timeline.schedule(later(this.#timeline.now(), pace), look);
    };
    look();
  }
}
