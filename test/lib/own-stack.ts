import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { SecurityGroup, Vpc } from "aws-cdk-lib/aws-ec2";
import { NodeLifecycle } from "../../lib/node-lifecycle.ts";
import type { NodeLifecycleProps } from "../../lib/node-lifecycle-props.ts";

/** Where the cluster of the app is. */
export type Place = Pick<NodeLifecycleProps, "cluster">;

/** The roles and launch templates that the construct's groups have. */
export const named = {
  nodeRoles: ["arn:aws:iam::123456789012:role/nodes"],
  launchTemplates: ["lt-0123456789abcdef0"],
};

/** Another project's app with a cluster's network, and the construct in it. */
export function ownStack(props?: PropsOf): { readonly template: Template; readonly app: App } {
  const { app, stack } = ownLifecycle(props);
  return { app, template: Template.fromStack(stack) };
}

type PropsOf = (stack: Stack, place: Place) => Partial<NodeLifecycleProps>;

/** The same, before it is synthesised. */
export function ownLifecycle(props: PropsOf = () => ({})) {
  const app = new App();
  const stack = new Stack(app, "Own", { env });
  return { app, stack, lifecycle: lifecycleIn(stack, props) };
}

/** The account and the Region of the app. */
export const env = { region: "eu-west-1", account: "123456789012" };

/** The construct in a stack of the app, with the cluster's network. */
export function lifecycleIn(stack: Stack, props: PropsOf): NodeLifecycle {
  const vpc = Vpc.fromVpcAttributes(stack, "Vpc", {
    vpcId: "vpc-0123456789abcdef0",
    availabilityZones: ["eu-west-1a"],
    privateSubnetIds: ["subnet-0123456789abcdef0"],
    privateSubnetRouteTableIds: ["rtb-0123456789abcdef0"],
  });
  const place = {
    cluster: {
      clusterName: "own",
      vpc,
      clusterSecurityGroup: SecurityGroup.fromSecurityGroupId(
        stack,
        "Cluster",
        "sg-0123456789abcdef0",
      ),
    },
  };
  return new NodeLifecycle(stack, "Lifecycle", {
    ...place,
    authenticationMode: "API",
    groups: ["workers"],
    ...named,
    ...props(stack, place),
  });
}
