import { EKSClient } from "@aws-sdk/client-eks";
import { awsClientOptions } from "./aws/aws-client-options.ts";
import { openCluster, overTheNetwork } from "./aws/eks-cluster-client.ts";
import { teaching } from "./aws/taught-client.ts";
import { timeKnown } from "./aws/time-known.ts";
import { faultOf } from "./base/fault.ts";
import { readRegion } from "./config/config.ts";
import { drainPolicyIn } from "./config/policies.ts";
import type { DrainEntry } from "./drain/drain-entry.ts";
import { drainSubjects } from "./drain-subjects.ts";
import { KubeAccessObjects } from "./kubernetes/kube-access-objects.ts";
import type { Journal } from "./notice/journal.port.ts";
import { type Note, noteLines } from "./notice/outcome.ts";
import { jsonJournal } from "./process/json-journal.ts";
import { ServerClock } from "./process/server-clock.ts";
import { systemClock } from "./process/system-clock.ts";
import { readAccessRequest } from "./rights/access-request.ts";
import awsAuthFence from "./rights/aws-auth-fence.yaml";
import eventFence from "./rights/event-fence.yaml";
import flow from "./rights/flow.yaml";
import { assertAlone, grantAccess } from "./rights/grant-access.flow.ts";
import fence from "./rights/node-fence.yaml";
import rbac from "./rights/rbac.yaml";
import agentRestart from "./rights/rbac-agent-restart.yaml";
import awsAuthEdit from "./rights/rbac-aws-auth-edit.yaml";
import awsAuthRead from "./rights/rbac-aws-auth-read.yaml";
import conditions from "./rights/rbac-conditions.yaml";
import events from "./rights/rbac-events.yaml";
import force from "./rights/rbac-force.yaml";
import makingRoom from "./rights/rbac-making-room.yaml";
import nodeRemoval from "./rights/rbac-node-removal.yaml";
import repairs from "./rights/rbac-repairs.yaml";
import upgrades from "./rights/rbac-upgrades.yaml";
import { type RightsManifests, readRights } from "./rights/rights-schema.ts";
import roomFence from "./rights/room-fence.yaml";

const manifests: RightsManifests = {
  fence,
  "aws-auth-fence": awsAuthFence,
  "event-fence": eventFence,
  "room-fence": roomFence,
  flow,
  rbac,
  "aws-auth-read": awsAuthRead,
  "aws-auth-edit": awsAuthEdit,
  force,
  "agent-restart": agentRestart,
  "node-removal": nodeRemoval,
  "making-room": makingRoom,
  events,
  conditions,
  upgrades,
  repairs,
};
const clock = new ServerClock(systemClock);
const journal: Journal<DrainEntry> = jsonJournal(clock, (line) => process.stdout.write(line));
/** By default nothing is changed but nodes and pods. */
const { settings } = drainPolicyIn({}, []).settingsFor({});
const region = readRegion();
const eks = new EKSClient({ ...awsClientOptions(region), ...teaching(clock) });

/** Gives the node function its rights in a cluster when the stack is deployed, and takes them back with it. */
export async function handler(
  event: unknown,
  context: unknown,
): Promise<{ readonly PhysicalResourceId: string }> {
  const request = readAccessRequest(event, context);
  const { clusterName, owner, rights, others, makingRoom, ifItFails, physicalId } = request;
  const change = { ...readRights(manifests, rights), ifItFails };
  const client = openCluster({ eks, clusterName, region, clock, open: overTheNetwork(clock) });
  await timeKnown(client, clock);
  try {
    const objects = new KubeAccessObjects({ client, owner, clock });
    if (others === "refused") await assertAlone(change.wanted, owner, objects);
    await grantAccess(change, objects);
    if (makingRoom === "ends") {
      const given = drainSubjects.map((one) => one.giveBack({ client, clock }, settings, journal));
      tellLeft((await Promise.all(given)).flat());
    }
  } catch (cause) {
    // With the cluster its objects are gone too.
    const gone = change.wanted.length === 0 && faultOf(cause).code === "cluster.not-found";
    if (!gone) throw cause;
  }
  return { PhysicalResourceId: physicalId };
}

/** Says what still has a record of a raised count. It fails no deployment: an editor of a workload could keep one for ever. */
function tellLeft(left: readonly Note[]): void {
  if (left.length === 0) return;
  const warnings = noteLines(left);
  journal.record({ kind: "warning", about: "counts that drains have raised", warnings });
}
