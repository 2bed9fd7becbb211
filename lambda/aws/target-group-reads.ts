import { createHash } from "node:crypto";
import {
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  type ElasticLoadBalancingV2ClientConfig,
  paginateDescribeTargetGroups,
  type TargetGroup,
  type TargetHealthStateEnum,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import type { GroupTarget, TargetGroupHealth, TargetKind } from "../group/target-loss.ts";
import { ask, listIn } from "./aws-fault.ts";

/** A target group that a load balancer uses. */
export interface UsedGroup {
  readonly arn: string;
  readonly name: string;
  readonly vpc: string;
  readonly kind: TargetKind;
}

export interface TargetGroupReads {
  /** The target groups of all VPCs, whose targets are instances or addresses. */
  list(): Promise<readonly UsedGroup[]>;
  health(group: UsedGroup): Promise<TargetGroupHealth>;
}

/** The reads of target groups. */
export function targetGroupReads(options: ElasticLoadBalancingV2ClientConfig): TargetGroupReads {
  const client = new ElasticLoadBalancingV2Client(options);
  return {
    list: () =>
      ask("listing the target groups", async (doing) => {
        const found: UsedGroup[] = [];
        for await (const page of paginateDescribeTargetGroups({ client }, {}))
          found.push(...listIn(page, "TargetGroups", doing).flatMap(usedGroups));
        return found;
      }),
    health: (group) =>
      ask(
        `reading the targets of target group ${group.name}`,
        async (doing) => {
          const answer = await client.send(
            new DescribeTargetHealthCommand({ TargetGroupArn: group.arn }),
          );
          const targets = listIn(answer, "TargetHealthDescriptions", doing).map(
            ({ Target: target, TargetHealth: health }): GroupTarget => ({
              id: target?.Id ?? "",
              state: states[health?.State ?? "unavailable"],
            }),
          );
          return healthOf(group, targets);
        },
        [/^TargetGroupNotFound/, healthOf(group, [])],
      ),
  };
}

const healthOf = (
  { arn, name, kind }: UsedGroup,
  targets: readonly GroupTarget[],
): TargetGroupHealth => {
  const id = createHash("sha256").update(arn).digest("hex").slice(0, 8);
  return { id, name, kind, targets };
};

const kinds: Readonly<Partial<Record<string, TargetKind>>> = { instance: "instance", ip: "ip" };

function usedGroups(group: TargetGroup): readonly UsedGroup[] {
  const { TargetGroupArn: arn = "", TargetGroupName: name = "", VpcId: vpc = "" } = group;
  const kind = kinds[group.TargetType ?? ""];
  const isUsed = (group.LoadBalancerArns ?? []).length > 0;
  return kind !== undefined && isUsed ? [{ arn, name, vpc, kind }] : [];
}

const states: Readonly<Record<TargetHealthStateEnum, GroupTarget["state"]>> = {
  initial: "initial",
  healthy: "serving",
  unhealthy: "other",
  "unhealthy.draining": "other",
  unused: "other",
  draining: "other",
  // A group without health checks sends requests to every target.
  unavailable: "serving",
};
