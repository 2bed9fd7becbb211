import type { ElasticLoadBalancingV2ClientConfig } from "@aws-sdk/client-elastic-load-balancing-v2";
import type { Clock } from "../base/clock.port.ts";
import { longest, minutes, seconds } from "../base/time.ts";
import type { TargetGroups } from "../group/group.port.ts";
import type { TargetGroupHealth, TargetKind } from "../group/target-loss.ts";
import { once } from "../process/once.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import type { TargetGroupReads, UsedGroup } from "./target-group-reads.ts";

/** The target groups of an account and Region. The client is loaded with the first question. */
export class ElbTargetGroups implements TargetGroups {
  readonly #reads: () => Promise<TargetGroupReads>;
  readonly #lists: TtlCache<readonly UsedGroup[]>;
  /** The target groups that have none of the targets asked for. */
  readonly #foreign: TtlCache<TargetGroupHealth>;
  #count = 0;

  constructor(options: ElasticLoadBalancingV2ClientConfig, clock: Pick<Clock, "now">) {
    this.#reads = once(() => load(options));
    this.#lists = new TtlCache(clock, () => minutes(5));
    // A target needs some seconds from its registration until it serves: two checks, five seconds apart at the least. Four
    // calls a second at most: an account has 40 at once, and some 10 a second, for all that asks.
    this.#foreign = new TtlCache(clock, () => longest(seconds(5), seconds(this.#count / 4)));
  }

  async kinds(vpc: string): Promise<ReadonlySet<TargetKind>> {
    return new Set((await this.#used(vpc)).map(({ kind }) => kind));
  }

  async having(
    ids: ReadonlySet<string>,
    kind: TargetKind,
    vpc: string,
  ): Promise<readonly TargetGroupHealth[]> {
    const reads = await this.#reads();
    const used = await this.#used(vpc);
    this.#count = used.length;
    const found: TargetGroupHealth[] = [];
    for (const group of used.filter((one) => one.kind === kind)) {
      const before = await this.#foreign.find(group.arn);
      if (before !== undefined && !has(before, ids)) continue;
      const now = reads.health(group);
      if (has(await now, ids)) found.push(await now);
      this.#foreign.keep(group.arn, now);
    }
    return found;
  }

  async #used(vpc: string): Promise<readonly UsedGroup[]> {
    const all = await this.#lists.recall("", async () => (await this.#reads()).list());
    return all.filter((group) => vpc === "" || group.vpc === vpc);
  }
}

const has = ({ targets }: TargetGroupHealth, ids: ReadonlySet<string>): boolean =>
  targets.some(({ id }) => ids.has(id));

async function load(options: ElasticLoadBalancingV2ClientConfig): Promise<TargetGroupReads> {
  const { targetGroupReads } = await import("./target-group-reads.ts");
  return targetGroupReads(options);
}
