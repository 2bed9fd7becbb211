import type { Duration } from "../../lambda/base/time.ts";
import type { Account } from "../aws/account.ts";
import type { Aws } from "../aws/aws.ts";
import type { Ec2, InstanceSpec, InstanceState, ScheduledEvent } from "../aws/ec2.ts";
import type { JourneyName } from "../aws/lifecycle.ts";

/** The lifecycle action that a demo is about, and where it happens. */
export interface DemoAction {
  readonly account: Account;
  readonly group: string;
  readonly instance: string;
  readonly hook: string;
  readonly token: string;
  readonly journey: JourneyName;
  /** `held` if the hook holds the instance; otherwise its state in EC2. */
  readonly instanceIs: "held" | InstanceState;
  readonly lifecycle: InstanceSpec["lifecycle"];
  /** The Capacity Block that it runs in; `none` without one. */
  readonly block: DemoBlock | "none";
  /** The work that AWS has planned on its host. */
  readonly scheduled: readonly ScheduledEvent[];
}

/** A Capacity Block, which ends so long after its event. */
interface DemoBlock {
  readonly id: string;
  readonly endsIn: Duration;
}

const demo = {
  account: { partition: "aws", region: "eu-west-1", id: "123456789012" },
  group: "eks-demo-ng-02c1ba5d-75b6-fbdf-4569-aa31827ad412",
  lifecycle: "on-demand",
  block: "none",
  scheduled: [],
} as const;

/** The action of `events/demo-ng-terminate.json`. */
export const terminateAction: DemoAction = {
  ...demo,
  instance: "i-07e9ea9eb19a67337",
  hook: "Terminate-LC-Hook",
  token: "3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a604",
  journey: "terminate",
  instanceIs: "held",
};

/** The action of `events/demo-ng-launch.json`. */
export const launchAction: DemoAction = {
  ...demo,
  instance: "i-0d5e8a1b2c3f40596",
  hook: "Launch-LC-Hook",
  token: "c48e2b7f-1d05-4a93-8e6c-90f7a3d15b28",
  journey: "launch",
  instanceIs: "held",
};

/** Ends an action before anybody else can. */
export const completeHook = ({ autoScaling }: Aws, { group, hook, token }: DemoAction): void =>
  autoScaling.complete({ group, hook, by: { kind: "token", value: token } }, "CONTINUE");

/**
 * Lets a hook hold the instance of an action, which is in the group or its warm pool already unless it is new; or lets the
 * instance be as the action says.
 */
export function holdInstance({ autoScaling, ec2 }: Aws, action: DemoAction, zone: string): void {
  const { instance: id, group, journey, hook, token, instanceIs } = action;
  ec2.buy(id, action.lifecycle);
  for (const event of action.scheduled) ec2.schedule(id, event);
  if (action.block !== "none") enterBlock(ec2, action.block, id);
  const isNew = journey === "launch" || journey === "launch-into-warm-pool";
  if (instanceIs !== "held") ec2.setState(id, instanceIs);
  else if (isNew) autoScaling.launch({ id, zone, group }, journey, { [hook]: token });
  else autoScaling.begin(id, journey, { [hook]: token });
}

function enterBlock(ec2: Ec2, { id, endsIn }: DemoBlock, instance: string): void {
  const { type: instanceType } = ec2.find(instance);
  ec2.reserve({ id, type: "capacity-block", state: "active", instanceType, endsIn });
  ec2.enterBlock(instance, id);
}
