import { App } from "aws-cdk-lib";
import { onTestFinished, vi } from "vitest";
import { doctorRights } from "../../../cli/doctor/doctor-command.ts";
import { main } from "../../../cli/main.ts";
import { accessManifests } from "../../../cli/manifests/access-manifests.ts";
import type { Labels } from "../../../lambda/base/labels.ts";
import { hours } from "../../../lambda/base/time.ts";
import { readAccessRequest } from "../../../lambda/rights/access-request.ts";
import { readRights } from "../../../lambda/rights/rights-schema.ts";
import type { ClusterConfig } from "../../../lib/cluster-file/cluster-config-schema.ts";
import { NodeLifecycleStack } from "../../../lib/node-lifecycle-stack.ts";
import { amend, type Records } from "../../../sandbox/aws/records.ts";
import {
  type AdmissionObject,
  admissionBindings,
  admissionPolicies,
} from "../../../sandbox/kubernetes/admission-resources.ts";
import type { PolicyRule, RbacObject } from "../../../sandbox/kubernetes/api/authorizer.ts";
import { startSandbox } from "../../../sandbox/sandbox.ts";
import type { Scenario } from "../../../sandbox/scenario.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { deployTemplate, type Synthesised } from "../../../sandbox/stack/deploy-template.ts";
import { recordStack } from "../../../sandbox/stack/record-stack.ts";
import { capturedIo } from "../../cli/captured-io.ts";
import { awsEnvironment } from "../../cli/connect/aws-environment.ts";
import { folderForTest } from "../../cli/folder-for-test.ts";
import { jsonLines } from "../../cli/json-lines-schema.ts";
import { evictingSample } from "../../support/evicting-sample.ts";
import { deployable } from "../deployable.ts";
import { sample } from "../synthesised.ts";

const { account } = terminateAction;
const vpc = "vpc-0a1b2c3d4e5f60718";
const clusterGroup = "sg-0a1b2c3d4e5f60718"; // that of every cluster of the sandbox
const subnets = sample.cluster.subnetIds;

/** The name of the stack that `doctor` looks for. */
export const stackName = "EksNodeLifecycle-sample";

/** The sample's stack, changed so. */
export function sampleWith(
  change: Partial<
    Pick<ClusterConfig, "drain" | "events" | "groupTag" | "repairs" | "upgrades">
  > = {},
): Synthesised {
  const app = new App();
  const stack = new NodeLifecycleStack(app, "Sample", {
    ...sample,
    cluster: { ...sample.cluster, region: account.region, securityGroupId: clusterGroup },
    ...change,
  });
  return deployable(app, stack);
}

const usual = sampleWith();

/** The only logical id of a type that matches, which is also the resource's name in the sandbox. */
export function idOf(type: string, id = /(?:)/, { template } = usual): string {
  const found = Object.entries(template.Resources).filter(
    ([key, { Type }]) => Type === type && id.test(key),
  );
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} of ${type} ${id}`);
  return only[0];
}

function manifests({ template }: Synthesised) {
  const its = Object.values(template.Resources).find(
    ({ Type }) => Type === "Custom::EksNodeLifecycleAccess",
  );
  const asked = {
    StackId: "stack",
    LogicalResourceId: "Rights",
    RequestType: "Create",
    ResourceProperties: its?.Properties,
  };
  const invokedFunctionArn = `arn:aws:lambda:${account.region}:${account.id}:function:Deployer`;
  const request = readAccessRequest(asked, { invokedFunctionArn });
  return readRights(accessManifests(), request.rights).wanted;
}

const person = "person";

const personal = (rules: readonly PolicyRule[]): readonly RbacObject[] => [
  { kind: "ClusterRole", metadata: { name: person }, rules },
  {
    kind: "ClusterRoleBinding",
    metadata: { name: person },
    roleRef: { kind: "ClusterRole", name: person },
    subjects: [{ kind: "Group", name: person }],
  },
];

/** How the deployed stack differs from what the deployer has made. */
export interface DoctorSiteOptions {
  /** @default the sample's stack */
  readonly synthesised?: Synthesised;
  /** The stack whose rights are in the cluster. @default the same */
  readonly granted?: Synthesised;
  /** Which RBAC objects are there. @default all */
  readonly keeps?: (object: RbacObject) => boolean;
  /** The tags of the group. @default none */
  readonly tags?: Labels;
  /** What the person who calls may do in the cluster. @default what `doctor` says that it needs */
  readonly rights?: readonly PolicyRule[];
  /** What is in the world besides. @default nothing */
  readonly populate?: Scenario["populate"];
  /** Whether the functions receive notices. @default "idle" */
  readonly functions?: "idle" | "work";
}

/** The sample's stack as it is deployed, and a person who may do there what `doctor` needs. */
export async function aDoctorSite({
  synthesised = usual,
  granted = synthesised,
  keeps = () => true,
  tags = {},
  rights = doctorRights,
  populate = () => undefined,
  functions = "idle",
}: DoctorSiteOptions = {}) {
  const objects = manifests(granted);
  const roles = objects.map(({ body }) => body as RbacObject);
  const rbac = [
    ...roles.filter(({ kind }) => /Role/.test(kind)).filter(keeps),
    ...personal(rights),
  ];
  let url = "";
  const sandbox = await startSandbox(
    {
      account,
      clusterName: "sample",
      rbac,
      apiServer: "answers",
      populate({ aws, cluster }) {
        aws.eks.updateCluster("sample", { authenticationMode: "API_AND_CONFIG_MAP" });
        aws.autoScaling.createGroup({
          name: "workers",
          zones: ["eu-west-1a"],
          launches: "never",
          tags: Object.entries(tags).map(([key, value = ""]) => ({
            key,
            value,
            propagated: false,
          })),
        });
        populateNetwork(aws.records);
        for (const { kind, body } of objects) {
          const draft = body as AdmissionObject;
          if (kind === admissionPolicies.kind) cluster.store.create(admissionPolicies, draft);
          if (kind === admissionBindings.kind) cluster.store.create(admissionBindings, draft);
        }
        populate({ aws, cluster });
      },
    },
    (world) => {
      url = world.addresses.url;
      const deployment = deployTemplate(synthesised, world);
      recordStack(stackName, synthesised, world);
      return functions === "work" ? deployment : { ...deployment, start: () => undefined };
    },
  );
  onTestFinished(() => sandbox.close());
  const { aws } = sandbox;
  const role = aws.iam.createRole({ name: person, path: "/" });
  aws.eks.findCluster("sample").entries.create({
    principalArn: role.arn,
    type: "STANDARD",
    username: person,
    groups: [person],
    tags: {},
    clientToken: "",
  });
  const key = aws.keys.assume({ role, sessionName: "test", duration: hours(1) });
  const env = awsEnvironment(url, account.region, key);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { ...sandbox, env, key, rbac, records: aws.records, amend };
}

/** A deployed stack to break. */
export type DoctorSite = Awaited<ReturnType<typeof aDoctorSite>>;

/** The VPC of the cluster: private subnets with a NAT gateway. */
function populateNetwork({ subnets: all, routeTables, securityGroups }: Records): void {
  for (const [index, id] of subnets.entries())
    all.set(id, { SubnetId: id, VpcId: vpc, CidrBlock: `10.0.${index}.0/24` });
  routeTables.set("private", {
    RouteTableId: "private",
    VpcId: vpc,
    Associations: subnets.map((SubnetId) => ({ SubnetId, Main: false })),
    Routes: [
      { DestinationCidrBlock: "10.0.0.0/16", GatewayId: "local", State: "active" },
      { DestinationCidrBlock: "0.0.0.0/0", NatGatewayId: "nat-1", State: "active" },
    ],
  });
  securityGroups.set(clusterGroup, { GroupId: clusterGroup, ...securityGroups.get(clusterGroup) });
}

/** Runs `doctor` for the sample, and returns which actions of AWS the person needed for that. */
export async function actionsAsked({ aws }: Pick<DoctorSite, "aws">): Promise<readonly string[]> {
  const asked = new Set<string>();
  const others = aws.authorize;
  aws.authorize = (request) => {
    if (request.principal.includes(`/${person}/`)) asked.add(request.action);
    return others(request);
  };
  await examined();
  return [...asked].toSorted();
}

/** Runs `doctor` for the sample, and returns what it told programs. */
export async function examined(...options: readonly string[]) {
  const cwd = folderForTest({ "clusters/sample.json": JSON.stringify(evictingSample) });
  const io = capturedIo({ cwd });
  const code = await main(["doctor", "sample", "--json", ...options], io);
  const [doctor] = jsonLines(io);
  const { links = [], line = "" } = doctor as unknown as Report;
  const states = (state: string) => [
    ...new Set(links.filter((one) => one.state === state).map(({ link }) => link)),
  ];
  return { code, line, links, broken: states("broken"), unknown: states("unknown"), states };
}

interface Report {
  readonly line?: string;
  readonly links?: readonly {
    readonly link: string;
    readonly state: string;
    readonly found: string;
    readonly remedy: string;
  }[];
}
