import {
  DeregisterInstancesFromLoadBalancerCommand,
  DescribeInstanceHealthCommand,
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  type DescribeLoadBalancersCommandOutput,
  ElasticLoadBalancingClient,
  type InstanceState,
  type LoadBalancerDescription,
} from "@aws-sdk/client-elastic-load-balancing";
import {
  DeregisterTargetsCommand,
  DescribeTargetGroupAttributesCommand,
  DescribeTargetGroupsCommand,
  type DescribeTargetGroupsCommandOutput,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  type ElasticLoadBalancingV2ClientConfig,
  type TargetGroup,
  type TargetHealthStateEnum,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import { type InstanceId, instanceId } from "../base/ids.ts";
import { type Duration, seconds } from "../base/time.ts";
import type { Balancer, LeastHealthy, Target, TargetHealth, TargetState } from "../drain/target.ts";
import { ask, assertAnswered, listIn } from "./aws-fault.ts";

/** A registered instance, with one of its ports. */
export interface Registered extends Pick<Target, "instance" | "port"> {
  readonly state: TargetHealth;
}

/** The settings of a load balancer that apply to its targets. */
export interface TargetRules {
  /** The time for which a deregistered target may finish its requests. */
  readonly delay: Duration;
  readonly leastHealthy: LeastHealthy;
}

/** The calls to one of the two APIs of load balancers. */
export interface BalancerCalls {
  /** All load balancers that may have instances, in every VPC of the Region. */
  list(): Promise<readonly Balancer[]>;
  /** The registered targets of a load balancer; of a classic one, only this instance. */
  registered(balancer: Balancer, instance: InstanceId): Promise<readonly Registered[]>;
  rules(balancer: Balancer): Promise<TargetRules>;
  deregister(balancer: Balancer, targets: readonly Target[]): Promise<void>;
}

/** Makes the calls to both APIs, by the kind of their load balancers. */
export const balancerCalls = (
  options: ElasticLoadBalancingV2ClientConfig,
): Readonly<Record<Balancer["kind"], BalancerCalls>> => ({
  "target group": targetGroupCalls(new ElasticLoadBalancingV2Client(options)),
  "classic load balancer": classicCalls(new ElasticLoadBalancingClient(options)),
});

const states: Readonly<Record<TargetHealthStateEnum, TargetHealth>> = {
  initial: "idle",
  healthy: "serving",
  unhealthy: "unhealthy",
  "unhealthy.draining": "unhealthy",
  unused: "out",
  draining: "draining",
  // A group without health checks sends requests to every target.
  unavailable: "serving",
};

const targetGroupCalls = (client: ElasticLoadBalancingV2Client): BalancerCalls => ({
  list: () =>
    ask("listing the target groups", async (doing) => {
      const found: Balancer[] = [];
      let marker: string | undefined;
      do {
        const answer: DescribeTargetGroupsCommandOutput = await client.send(
          new DescribeTargetGroupsCommand({ Marker: marker }),
        );
        found.push(...instanceGroupsIn(listIn(answer, "TargetGroups", doing)));
        marker = answer.NextMarker;
      } while (marker !== undefined && marker !== "");
      return found;
    }),
  registered: ({ id: TargetGroupArn, name }) =>
    ask(
      `reading the targets of target group ${name}`,
      async (doing) => {
        const answer = await client.send(new DescribeTargetHealthCommand({ TargetGroupArn }));
        const found = listIn(answer, "TargetHealthDescriptions", doing);
        return found.map(({ Target: target, TargetHealth: health }) => ({
          instance: instanceId(target?.Id ?? ""),
          port: target?.Port ?? 0,
          state: states[health?.State ?? "unavailable"],
        }));
      },
      goneAnswer,
    ),
  rules: ({ id: TargetGroupArn, name }) =>
    ask(`reading the attributes of target group ${name}`, async (doing) => {
      const answer = await client.send(
        new DescribeTargetGroupAttributesCommand({ TargetGroupArn }),
      );
      const attributes = listIn(answer, "Attributes", doing);
      const attribute = (key: string) => attributes.find(({ Key }) => Key === key)?.Value;
      const least = "target_group_health.unhealthy_state_routing.minimum_healthy_targets";
      return {
        delay: seconds(Number(attribute("deregistration_delay.timeout_seconds") ?? 300)),
        leastHealthy: {
          count: Number(attribute(`${least}.count`) ?? 1) || 1,
          percent: Number(attribute(`${least}.percentage`) ?? 0) || 0, // it may be "off"
        },
      };
    }),
  deregister: async ({ id: TargetGroupArn, name }, targets) => {
    const Targets = targets.map(({ instance: Id, port: Port }) => ({ Id, Port }));
    const command = new DeregisterTargetsCommand({ TargetGroupArn, Targets });
    await ask(`deregistering from target group ${name}`, () => client.send(command));
  },
});

const instanceGroupsIn = (groups: readonly TargetGroup[]): readonly Balancer[] =>
  groups
    .filter(({ TargetType, LoadBalancerArns: users = [] }) => {
      return TargetType === "instance" && users.length > 0;
    })
    .map(({ TargetGroupArn: id = "", TargetGroupName: name = "", VpcId: vpc = "" }) => ({
      kind: "target group",
      name,
      id,
      vpc,
    }));

const noneNeeded: LeastHealthy = { count: 0, percent: 0 };

const classicCalls = (client: ElasticLoadBalancingClient): BalancerCalls => ({
  list: () =>
    ask("listing the classic load balancers", async (doing) => {
      const found: Balancer[] = [];
      let Marker: string | undefined;
      do {
        const answer: DescribeLoadBalancersCommandOutput = await client.send(
          new DescribeLoadBalancersCommand({ Marker }),
        );
        found.push(...classicIn(listIn(answer, "LoadBalancerDescriptions", doing)));
        Marker = answer.NextMarker;
      } while (Marker !== undefined && Marker !== "");
      return found;
    }),
  registered: ({ id: LoadBalancerName }, instance) =>
    ask(
      `reading the state of ${instance} in load balancer ${LoadBalancerName}`,
      async (doing) => {
        const Instances = [{ InstanceId: instance }];
        const answer = await client.send(
          new DescribeInstanceHealthCommand({ LoadBalancerName, Instances }),
        );
        const [state] = listIn(answer, "InstanceStates", doing);
        return state === undefined ? [] : [{ instance, port: 0, state: classicState(state) }];
      },
      goneAnswer,
    ),
  rules: ({ id: LoadBalancerName }) =>
    ask(`reading the connection draining of load balancer ${LoadBalancerName}`, async (doing) => {
      const answer = await client.send(
        new DescribeLoadBalancerAttributesCommand({ LoadBalancerName }),
      );
      const { LoadBalancerAttributes: attributes } = answer;
      if (attributes === undefined) assertAnswered(answer, doing);
      const { Enabled: enabled, Timeout: timeout = 300 } = attributes?.ConnectionDraining ?? {};
      // It sends no request to an instance that is out of service, also where all are.
      return { delay: seconds(enabled === true ? timeout : 0), leastHealthy: noneNeeded };
    }),
  deregister: async ({ id: LoadBalancerName }, targets) => {
    const Instances = targets.map(({ instance: InstanceId }) => ({ InstanceId }));
    const command = new DeregisterInstancesFromLoadBalancerCommand({ LoadBalancerName, Instances });
    await ask(`deregistering from load balancer ${LoadBalancerName}`, () => client.send(command));
  },
});

const classicIn = (found: readonly LoadBalancerDescription[]): readonly Balancer[] =>
  found.map(({ LoadBalancerName: name = "", VPCId: vpc = "" }) => ({
    kind: "classic load balancer",
    name,
    id: name,
    vpc,
  }));

/** @see https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/config-conn-drain.html */
function classicState({ State: state, Description: why = "" }: InstanceState): TargetState {
  if (/not currently registered/i.test(why)) return "out";
  if (/deregistration currently in progress/i.test(why)) return "draining";
  return state === "InService" ? "serving" : "idle";
}

// The errors of the two APIs for a load balancer or an instance that is gone, and so has nothing registered.
const goneAnswer = [
  /^(TargetGroupNotFound|AccessPointNotFound|LoadBalancerNotFound|InvalidInstance|InvalidEndPoint)/,
  [],
] as const;
