import type { ElasticLoadBalancingV2ClientConfig } from "@aws-sdk/client-elastic-load-balancing-v2";
import type { Clock } from "../base/clock.port.ts";
import type { InstanceId } from "../base/ids.ts";
import { sideBySide } from "../base/side-by-side.ts";
import { hours, minutes } from "../base/time.ts";
import type { LoadBalancers } from "../drain/drain.port.ts";
import { type Balancer, lookEvery, stateIn, type Target } from "../drain/target.ts";
import { once } from "../process/once.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import type { BalancerCalls, Registered, TargetRules } from "./balancer-calls.ts";

// AWS throttles an account that asks 40 times at once, and then more than ten times a second: one after the other stays below.
const [first, atOnce] = [24, 8];

/** Asks load balancers. Drains that begin at the same time share the answers of target groups, and of those alone. */
async function ofEach<T>(
  balancers: readonly Balancer[],
  ask: (balancer: Balancer) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const shared = balancers.filter(({ kind }) => kind === "target group").slice(0, first);
  const others = balancers.filter((balancer) => !shared.includes(balancer));
  const found = await sideBySide(shared, atOnce, ask);
  return [...found, ...(await sideBySide(others, 1, ask))].flat();
}

type Calls = Readonly<Record<Balancer["kind"], BalancerCalls>>;

/**
 * The load balancers of an account and Region, of both generations.
 *
 * The API cannot be asked for the target groups of an instance, only for the targets of a group. So the drains of a
 * process share what it says of each group. Most functions never drain behind a load balancer, so the clients are
 * loaded when a drain first asks.
 */
export class AwsLoadBalancers implements LoadBalancers {
  readonly #calls: () => Promise<Calls>;
  // A VPC without any hardly ever gets its first one; where there are some, there will be more.
  readonly #lists: TtlCache<readonly Balancer[]>;
  /** Which instances a group has, to find out whether it matters at all. */
  readonly #members: TtlCache<readonly Registered[]>;
  readonly #states: TtlCache<readonly Registered[]>;
  readonly #rules: TtlCache<TargetRules>;
  /** The time for which the states of a group are remembered; longer with many groups. */
  #pace = lookEvery(0);

  constructor(options: ElasticLoadBalancingV2ClientConfig, clock: Pick<Clock, "now">) {
    this.#calls = once(() => load(options));
    this.#lists = new TtlCache(clock, (found) => (found.length === 0 ? hours(1) : minutes(5)));
    this.#members = new TtlCache(clock, () => minutes(1));
    this.#states = new TtlCache(clock, () => this.#pace);
    this.#rules = new TtlCache(clock, () => hours(1));
  }

  async targetsOf(
    instance: InstanceId,
    vpc: string,
    onFound: (targets: readonly Target[]) => void = () => undefined,
  ): Promise<readonly Target[]> {
    const balancers = await this.#lists.recall(vpc, () => this.#list(vpc));
    this.#pace = lookEvery(balancers.length);
    return ofEach(balancers, async (balancer) => {
      if (!(await this.#mayHave(balancer, instance))) return [];
      const targets = await this.#targetsIn(balancer, instance);
      onFound(targets);
      return targets;
    });
  }

  async look(
    targets: readonly Target[],
    onFound: (targets: readonly Target[]) => void = () => undefined,
  ): Promise<readonly Target[]> {
    const faults: unknown[] = [];
    const owned = byBalancer(targets);
    const seen = await ofEach([...owned.keys()], async (balancer) => {
      try {
        const now = await this.#seen(balancer, owned.get(balancer) ?? []);
        onFound(now);
        return now;
      } catch (cause) {
        faults.push(cause);
        return [];
      }
    });
    if (faults.length > 0) throw faults[0];
    return seen;
  }

  async deregister(targets: readonly Target[]): Promise<void> {
    for (const [balancer, own] of byBalancer(targets)) {
      await (await this.#to(balancer)).deregister(balancer, own);
      this.#states.forget(balancer.id);
    }
  }

  async #mayHave(balancer: Balancer, instance: InstanceId): Promise<boolean> {
    if (balancer.kind === "classic load balancer") return true;
    const ask = () => this.#registered(balancer, instance);
    const members = await this.#members.recall(balancer.id, ask);
    return members.some((one) => one.instance === instance);
  }

  /** Some targets of a load balancer, as they are now. */
  async #seen(balancer: Balancer, targets: readonly Target[]): Promise<readonly Target[]> {
    const found: Target[] = [];
    for (const [instance, own] of Map.groupBy(targets, (target) => target.instance)) {
      const now = await this.#targetsIn(balancer, instance);
      found.push(...own.map((one) => now.find(({ port }) => port === one.port) ?? out(one)));
    }
    return found;
  }

  async #targetsIn(balancer: Balancer, instance: InstanceId): Promise<readonly Target[]> {
    const all = await this.#registered(balancer, instance);
    const own = all.filter((one) => one.instance === instance && one.state !== "out");
    if (own.length === 0) return [];
    const { delay, leastHealthy } = await this.#rules.recall(balancer.id, async () =>
      (await this.#to(balancer)).rules(balancer),
    );
    const stateOf = stateIn(all, leastHealthy);
    return own.map((one) => ({ ...one, state: stateOf(one.state), balancer, delay }));
  }

  /** Only a target group returns all its instances at once, so only its answer can be shared. */
  async #registered(balancer: Balancer, instance: InstanceId): Promise<readonly Registered[]> {
    const calls = await this.#to(balancer);
    const ask = () => calls.registered(balancer, instance);
    return balancer.kind === "target group" ? this.#states.recall(balancer.id, ask) : ask();
  }

  /** The load balancers of a VPC; of an unknown VPC, all of them. */
  async #list(vpc: string): Promise<readonly Balancer[]> {
    const calls = Object.values(await this.#calls());
    const all = (await Promise.all(calls.map((one) => one.list()))).flat();
    return all.filter((balancer) => vpc === "" || balancer.vpc === vpc);
  }

  async #to({ kind }: Balancer): Promise<BalancerCalls> {
    return (await this.#calls())[kind];
  }
}

async function load(options: ElasticLoadBalancingV2ClientConfig): Promise<Calls> {
  const { balancerCalls } = await import("./balancer-calls.ts");
  return balancerCalls(options);
}

/** Targets by their load balancers. */
function byBalancer(targets: readonly Target[]): ReadonlyMap<Balancer, readonly Target[]> {
  const balancers = new Map(targets.map(({ balancer }) => [balancer.id, balancer]));
  const owned = Map.groupBy(targets, ({ balancer }) => balancer.id);
  return new Map([...balancers].map(([id, balancer]) => [balancer, owned.get(id) ?? []]));
}

const out = (target: Target): Target => ({ ...target, state: "out" });
