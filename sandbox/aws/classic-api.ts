import {
  type DeregisterEndPointsInput,
  DeregisterInstancesFromLoadBalancer$,
  type DescribeAccessPointsInput,
  type DescribeEndPointStateInput,
  DescribeInstanceHealth$,
  DescribeLoadBalancerAttributes$,
  type DescribeLoadBalancerAttributesInput,
  DescribeLoadBalancers$,
  type InstanceState,
} from "@aws-sdk/client-elastic-load-balancing";
import { wholeSeconds } from "../../lambda/base/time.ts";
import { arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import type { Ec2 } from "./ec2.ts";
import type { Elb } from "./elb.ts";
import { type Operation, operation } from "./operation.ts";
import { page } from "./page.ts";
import type { Pool, PoolState } from "./pool.ts";

function balancerOf(elb: Elb, name: string | undefined): Pool {
  const found = elb.pools("classic").find(({ spec }) => spec.name === name);
  if (found !== undefined) return found;
  throw new AwsError("LoadBalancerNotFound", `There is no ACTIVE Load Balancer named '${name}'`);
}

/** @see https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/config-conn-drain.html */
const states: Readonly<Record<PoolState, Omit<InstanceState, "InstanceId">>> = {
  initial: {
    State: "OutOfService",
    ReasonCode: "ELB",
    Description: "Instance registration is still in progress.",
  },
  healthy: { State: "InService", ReasonCode: "N/A", Description: "N/A" },
  unhealthy: {
    State: "OutOfService",
    ReasonCode: "Instance",
    Description:
      "Instance has failed at least the UnhealthyThreshold number of health checks consecutively.",
  },
  draining: {
    State: "InService",
    ReasonCode: "N/A",
    Description: "Instance deregistration currently in progress.",
  },
};

const unregistered = {
  State: "OutOfService",
  ReasonCode: "Instance",
  Description: "Instance is not currently registered with the LoadBalancer.",
} as const;

function health(elb: Elb, ec2: Ec2, request: DescribeEndPointStateInput): readonly InstanceState[] {
  const targets = balancerOf(elb, request.LoadBalancerName).targets();
  const { Instances: asked = targets.map(({ instance }) => ({ InstanceId: instance })) } = request;
  return asked.map(({ InstanceId = "" }) => {
    if (ec2.tryFind(InstanceId) === undefined)
      throw new AwsError("InvalidInstance", `Could not find EC2 instance ${InstanceId}.`);
    const found = targets.find(({ instance }) => instance === InstanceId);
    return { InstanceId, ...(found === undefined ? unregistered : states[found.state]) };
  });
}

const service = "elasticloadbalancing";

/** The operations on classic load balancers that the sandbox supports. */
export const classicOperations = (elb: Elb, ec2: Ec2): readonly Operation[] => [
  operation<DescribeAccessPointsInput>(
    service,
    DescribeLoadBalancers$,
    ({ PageSize: size = 400, Marker: token }) => {
      const { items, next } = page(elb.pools("classic"), { size, token });
      const found = items.map(({ spec: { name: LoadBalancerName, vpc: VPCId } }) => ({
        LoadBalancerName,
        VPCId,
      }));
      return { LoadBalancerDescriptions: found, NextMarker: next };
    },
  ),
  operation<DescribeEndPointStateInput>(service, DescribeInstanceHealth$, (request) => ({
    InstanceStates: health(elb, ec2, request),
  })),
  operation<DescribeLoadBalancerAttributesInput>(
    service,
    DescribeLoadBalancerAttributes$,
    ({ LoadBalancerName }) => {
      const delay = wholeSeconds(balancerOf(elb, LoadBalancerName).spec.delay);
      const ConnectionDraining = { Enabled: delay > 0, Timeout: delay || 300 };
      return { LoadBalancerAttributes: { ConnectionDraining } };
    },
  ),
  operation<DeregisterEndPointsInput>(
    service,
    DeregisterInstancesFromLoadBalancer$,
    ({ LoadBalancerName, Instances = [] }) => {
      const pool = balancerOf(elb, LoadBalancerName);
      for (const { InstanceId = "" } of Instances) pool.deregister(InstanceId);
      return { Instances: pool.targets().map(({ instance: InstanceId }) => ({ InstanceId })) };
    },
    ({ LoadBalancerName: name }) => arnOf(elb.account, service, `loadbalancer/${name}`),
  ),
];
