import { EKSClient } from "@aws-sdk/client-eks";
import { awsClientOptions } from "./adapters/aws/aws-client-options.ts";
import { EksConnection } from "./adapters/eks/eks-connection.ts";
import { EksToken } from "./adapters/eks/eks-token.ts";
import { KubeConnection } from "./adapters/kubernetes/connection/kube-connection.ts";
import { KubeAccessObjects } from "./adapters/kubernetes/kube-access-objects.ts";
import { systemClock } from "./adapters/local/system-clock.ts";
import { readRegion } from "./config/config.ts";
import { type Duration, later } from "./domain/time.ts";
import { readAccessRequest } from "./events/access-request.ts";
import { type RightsManifests, readRights } from "./events/rights.ts";
import { faultOf } from "./fault.ts";
import { grantAccess } from "./flows/rights/grant-access.ts";
import { Bell } from "./ports/bell.ts";
import awsAuthFence from "./rights/aws-auth-fence.yaml";
import fence from "./rights/node-fence.yaml";
import rbac from "./rights/rbac.yaml";
import awsAuthEdit from "./rights/rbac-aws-auth-edit.yaml";
import awsAuthRead from "./rights/rbac-aws-auth-read.yaml";
import force from "./rights/rbac-force.yaml";

const manifests: RightsManifests = {
  fence,
  "aws-auth-fence": awsAuthFence,
  rbac,
  "aws-auth-read": awsAuthRead,
  "aws-auth-edit": awsAuthEdit,
  force,
};
const clock = systemClock;
const region = readRegion();
const eks = new EKSClient(awsClientOptions(region));
const pause = (duration: Duration) => clock.sleep(later(clock.now(), duration), new Bell());

/** Gives the node function its rights in a cluster when the stack is deployed, and takes them back with it. */
export async function handler(event: unknown): Promise<{ readonly PhysicalResourceId: string }> {
  const { clusterName, owner, rights, ifItFails, physicalId } = readAccessRequest(event);
  const change = { ...readRights(manifests, rights), ifItFails };
  const { credentials } = eks.config;
  const token = new EksToken({ clusterName, region, credentials, now: clock.now });
  const connection = new EksConnection({
    eks,
    clusterName,
    token,
    open: (address, bearer) => new KubeConnection(address, bearer),
    pause,
  });
  try {
    await grantAccess(change, new KubeAccessObjects({ connection, owner, pause, now: clock.now }));
  } catch (cause) {
    // With the cluster its objects are gone too.
    const gone = change.wanted.length === 0 && faultOf(cause).code === "cluster.not-found";
    if (!gone) throw cause;
  }
  return { PhysicalResourceId: physicalId };
}
