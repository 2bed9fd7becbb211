import {
  DeregisterTargets$,
  type DeregisterTargetsInput,
  DescribeTargetGroupAttributes$,
  type DescribeTargetGroupAttributesInput,
  DescribeTargetGroups$,
  type DescribeTargetGroupsInput,
  DescribeTargetHealth$,
  type DescribeTargetHealthInput,
  type DescribeTargetHealthOutput,
  type TargetGroup,
  type TargetHealthDescription,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import { wholeSeconds } from "../../lambda/base/time.ts";
import { arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import type { Elb } from "./elb.ts";
import { type Operation, operation } from "./operation.ts";
import { page } from "./page.ts";
import type { Pool, PoolTarget } from "./pool.ts";

function groupOf(elb: Elb, arn: string | undefined): Pool {
  const found = elb.pools("target-group").find((pool) => elb.targetGroupArn(pool) === arn);
  if (found !== undefined) return found;
  throw new AwsError("TargetGroupNotFound", `Target groups '${arn}' not found`);
}

const wireGroup = (elb: Elb, pool: Pool): TargetGroup => {
  const { name, vpc, targets, use, leaves } = pool.spec;
  const isHttp = leaves === "when-idle";
  const kind = isHttp ? "app" : "net";
  const user = arnOf(
    elb.account,
    "elasticloadbalancing",
    `loadbalancer/${kind}/${name}/0123456789abcdef`,
  );
  return {
    TargetGroupArn: elb.targetGroupArn(pool),
    TargetGroupName: name,
    Protocol: isHttp ? "HTTP" : "TCP",
    Port: 80,
    VpcId: vpc,
    TargetType: targets,
    HealthCheckIntervalSeconds: wholeSeconds(pool.spec.interval),
    LoadBalancerArns: use === "in-use" ? [user] : [],
  };
};

const reasons = {
  initial: "Elb.RegistrationInProgress",
  healthy: undefined,
  unhealthy: "Target.FailedHealthChecks",
  draining: "Target.DeregistrationInProgress",
} as const;

function wireHealth(pool: Pool, { instance: Id, port: Port, state }: PoolTarget) {
  const unused = pool.spec.use === "unused" && state !== "draining";
  const health = unused
    ? ({ State: "unused", Reason: "Target.NotInUse" } as const)
    : { State: state, Reason: reasons[state] };
  return { Target: { Id, Port }, HealthCheckPort: String(Port), TargetHealth: health };
}

/** Answers DescribeTargetHealth: of all targets, or of those asked for, which need not be registered. */
function targetHealth(elb: Elb, request: DescribeTargetHealthInput): DescribeTargetHealthOutput {
  const pool = groupOf(elb, request.TargetGroupArn);
  const all = pool.targets();
  const { Targets: asked } = request;
  if (asked === undefined) {
    return { TargetHealthDescriptions: all.map((target) => wireHealth(pool, target)) };
  }
  return {
    TargetHealthDescriptions: asked.map(({ Id = "", Port = 80 }): TargetHealthDescription => {
      const found = all.find(({ instance, port }) => instance === Id && port === Port);
      if (found !== undefined) return wireHealth(pool, found);
      const TargetHealth = { State: "unused", Reason: "Target.NotRegistered" } as const;
      return { Target: { Id, Port }, TargetHealth };
    }),
  };
}

const service = "elasticloadbalancing";

/** The operations on target groups that the sandbox supports. */
export const targetGroupOperations = (elb: Elb): readonly Operation[] => [
  operation<DescribeTargetGroupsInput>(
    service,
    DescribeTargetGroups$,
    ({ PageSize: size = 400, Marker: token }) => {
      const { items, next } = page(elb.pools("target-group"), { size, token });
      return { TargetGroups: items.map((pool) => wireGroup(elb, pool)), NextMarker: next };
    },
  ),
  operation<DescribeTargetHealthInput>(service, DescribeTargetHealth$, (request) =>
    targetHealth(elb, request),
  ),
  operation<DescribeTargetGroupAttributesInput>(
    service,
    DescribeTargetGroupAttributes$,
    ({ TargetGroupArn }) => {
      const Value = String(wholeSeconds(groupOf(elb, TargetGroupArn).spec.delay));
      return { Attributes: [{ Key: "deregistration_delay.timeout_seconds", Value }] };
    },
  ),
  operation<DeregisterTargetsInput>(
    service,
    DeregisterTargets$,
    ({ TargetGroupArn, Targets = [] }) => {
      const pool = groupOf(elb, TargetGroupArn);
      for (const { Id = "", Port } of Targets) pool.deregister(Id, Port ?? "all");
    },
    ({ TargetGroupArn = "" }) => TargetGroupArn,
  ),
];
