import { onTestFinished } from "vitest";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { nodeOf } from "../../sandbox/scenarios/demo-ng-group.ts";
import { deployTemplate, type Synthesised } from "../../sandbox/stack/deploy-template.ts";
import type { PutEvent } from "../../sandbox/stack/stack-rules.ts";
import { rightsIn, sampleInstances } from "./used-scenario.ts";

const { account } = terminateAction;

/** A stack deployed in a sandbox, with a group that launches by itself and has three nodes, and the account's event bus. */
export async function aGroupInUse(synthesised: Synthesised) {
  let put: PutEvent = () => [];
  const sandbox = await startSandbox(
    {
      account,
      clusterName: "sample",
      rbac: rightsIn(synthesised.template),
      apiServer: "answers",
      populate({ aws, cluster }) {
        aws.eks.updateCluster("sample", { authenticationMode: "API_AND_CONFIG_MAP" });
        const instances = Object.values(sampleInstances);
        const zones = instances.map(({ zone }) => zone);
        const sizes = { min: 1, max: 5, desired: 3, launches: "by-itself" } as const;
        aws.autoScaling.createGroup({ name: "workers", zones, ...sizes });
        for (const { id, ip, zone } of instances) {
          aws.ec2.run({ id, zone, privateIp: ip });
          aws.autoScaling.attach({ id, zone, group: "workers" });
        }
        for (const one of instances)
          cluster.addNode({ name: nodeOf(one), providerID: `aws:///${one.zone}/${one.id}` });
      },
    },
    (world) => {
      const deployment = deployTemplate(synthesised, world);
      put = deployment.putEvent;
      return deployment;
    },
  );
  onTestFinished(() => sandbox.close());
  return { ...sandbox, put };
}
