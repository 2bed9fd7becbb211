import { minutes } from "../../lambda/domain/time.ts";
import type { Aws } from "../aws/aws.ts";
import { farther, leaving, neighbour } from "./demo-ng-instances.ts";

/** The name of the demo group. */
export const groupName = "eks-demo-ng-02c1ba5d-75b6-fbdf-4569-aa31827ad412";

/** The role of the demo group's instances. */
export const nodeRole = "eks-demo-node";

const hook = "Terminate-LC-Hook";
/** The token in the saved event. */
const token = "3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a604";
const instances = [leaving, neighbour, farther];

/** Creates the group, its instances and its hook, and terminates one instance, which the hook holds. */
export function populateGroup({ iam, ec2, autoScaling }: Aws): void {
  const role = iam.createRole({ name: nodeRole, path: "/" });
  const profile = iam.createInstanceProfile({ name: nodeRole, path: "/" }, [role]);
  autoScaling.createGroup({ name: groupName, zones: instances.map(({ zone }) => zone) });
  for (const { id, ip, zone } of instances) {
    ec2.run({ id, zone, privateIp: ip, profileArn: profile.arn });
    autoScaling.attach({ id, zone, group: groupName });
  }
  autoScaling.putHook(groupName, {
    name: hook,
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    heartbeat: minutes(30),
    defaultResult: "CONTINUE",
  });
  autoScaling.setDesired(groupName, instances.length - 1);
  autoScaling.terminate(leaving.id, { [hook]: token });
}

/** The action of a hook, by its token. */
export interface HeldAction {
  readonly hook: string;
  readonly token: string;
}

/** The action that holds the instance which leaves. */
export const terminateAction: HeldAction = { hook, token };

/** Ends a hook's action before anybody can. */
export const completeHook = ({ autoScaling }: Aws, { hook, token }: HeldAction): void =>
  autoScaling.complete({ group: groupName, hook, by: { kind: "token", value: token } }, "CONTINUE");
