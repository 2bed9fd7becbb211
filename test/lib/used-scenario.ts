import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import { readAccessRequest } from "../../lambda/rights/access-request.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";
import type { RbacObject } from "../../sandbox/kubernetes/api/authorizer.ts";
import type { Scenario } from "../../sandbox/scenario.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { instancesIn, nodeOf } from "../../sandbox/scenarios/demo-ng-group.ts";
import { populateWorkloads } from "../../sandbox/scenarios/demo-ng-workloads.ts";
import type { StackTemplate } from "../../sandbox/stack/template-schema.ts";

const { account, instance } = terminateAction;

/** The instances of the group that the sample's stack looks after. */
export const sampleInstances = instancesIn(account.region, instance);

const instances = Object.values(sampleInstances);
const invokedFunctionArn = `arn:aws:lambda:${account.region}:${account.id}:function:Deployer`;
const named = { StackId: "stack", LogicalResourceId: "Rights" };

/** The access that the deployer gives for the template's custom resource. */
export function rightsIn({ Resources }: StackTemplate): readonly RbacObject[] {
  const its = Object.values(Resources).find(
    ({ Type }) => Type === "Custom::EksNodeLifecycleAccess",
  );
  const asked = { ...named, RequestType: "Create", ResourceProperties: its?.Properties };
  const { wanted } = readRights(
    accessManifests(),
    readAccessRequest(asked, { invokedFunctionArn }).rights,
  );
  const objects = wanted.map(({ body }) => body as RbacObject);
  return objects.filter(({ kind }) => /Role/.test(kind));
}

/** The sample's cluster and its group, with the rights that a stack gives. */
export const usedScenario = (deployed: StackTemplate): Scenario => ({
  account,
  clusterName: "sample",
  rbac: rightsIn(deployed),
  apiServer: "answers",
  populate({ aws, cluster }) {
    aws.eks.updateCluster("sample", { authenticationMode: "API_AND_CONFIG_MAP" });
    for (const instance of instances)
      cluster.addNode({
        name: nodeOf(instance),
        providerID: `aws:///${instance.zone}/${instance.id}`,
      });
    populateWorkloads(cluster, sampleInstances, ["leaving", "neighbour", "farther"]);
    aws.autoScaling.createGroup({ name: "workers", zones: instances.map(({ zone }) => zone) });
    for (const { id, ip, zone } of instances) {
      aws.ec2.run({ id, zone, privateIp: ip });
      aws.autoScaling.attach({ id, zone, group: "workers" });
    }
    aws.autoScaling.setDesired("workers", instances.length - 1);
  },
});
