import { onTestFinished, vi } from "vitest";
import { nodeFunction } from "../../../cli/replay/deploy-demo.ts";
import { eksToken } from "../../../lambda/aws/eks-token.ts";
import { hours, minutes } from "../../../lambda/base/time.ts";
import { systemClock } from "../../../lambda/process/system-clock.ts";
import type { AccessKey } from "../../../sandbox/aws/access-keys.ts";
import { iamArnOf } from "../../../sandbox/aws/account.ts";
import type { RbacObject } from "../../../sandbox/kubernetes/api/authorizer.ts";
import { configMaps } from "../../../sandbox/kubernetes/core-resources.ts";
import type { InvocationResult } from "../../../sandbox/lambda/invocation.ts";
import type { FunctionCode } from "../../../sandbox/lambda/lambda-service.ts";
import { deployQueueFunction } from "../../../sandbox/queue-function.ts";
import { type Sandbox, startSandbox } from "../../../sandbox/sandbox.ts";
import type { Breakage, Scenario } from "../../../sandbox/scenario.ts";
import { type DemoAction, terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNg, demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { awsEnvironment } from "./aws-environment.ts";
import { type KubeconfigUser, kubeconfigFile } from "./kubeconfig-file.ts";

/** A sandbox with the demo, and somebody who may do everything there and whom the SDK finds by the environment. */
export interface Site extends Sandbox {
  readonly cluster: Sandbox["cluster"];
  /** The value for `AWS_ENDPOINT_URL`. */
  readonly url: string;
  readonly key: AccessKey;
  /** The environment of a program that is to find the site. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes a kubeconfig for the API server, and returns its path. */
  kubeconfig(user: KubeconfigUser): string;
}

/** How a site differs from the demo. */
export interface SiteOptions {
  /** @default one that never does anything */
  readonly code?: FunctionCode;
  readonly settings?: Readonly<Record<string, string>>;
  readonly broken?: Breakage | "nothing";
  /** @default the demo, where Auto Scaling is about to terminate an instance */
  readonly launch?: { readonly scenario: Scenario; readonly action: DemoAction };
  /** The group of the somebody in the cluster. @default "system:masters" */
  readonly group?: string;
  /** RBAC objects beside those of the function. */
  readonly rbac?: readonly RbacObject[];
}

/** A function that takes every message and never answers, so that a test looks at the world as it was. */
const idle: FunctionCode = () => {
  const { promise, resolve } = Promise.withResolvers<InvocationResult>();
  return { invoke: () => promise, crash: () => 0, close: () => resolve({ kind: "throttled" }) };
};

const person = "person";

/** Starts a site for one test. */
export async function aSite(options: SiteOptions = {}): Promise<Site> {
  const { code = idle, settings = {}, broken = "nothing", launch } = options;
  const { group = "system:masters", rbac = [] } = options;
  const { scenario: demo, action } = launch ?? {
    scenario: demoNg(broken),
    action: terminateAction,
  };
  let url = "";
  const sandbox = await startSandbox({ ...demo, rbac: [...demo.rbac, ...rbac] }, (world) => {
    url = world.addresses.url;
    return deployQueueFunction({ ...nodeFunction(demoNode, settings), code }, world);
  });
  onTestFinished(() => sandbox.close());
  const { aws, cluster, deployment } = sandbox;
  const role = aws.iam.createRole({ name: person, path: "/" });
  const key = aws.keys.assume({ role, sessionName: "test", duration: hours(1) });
  const line = `- rolearn: ${iamArnOf(aws.account, `role/${person}`)}\n  username: ${person}\n  groups:\n    - ${group}\n`;
  const ref = { resource: configMaps, namespace: "kube-system", name: "aws-auth" };
  cluster.store.update(ref, (map) => {
    const { mapRoles = "" } = map.data ?? {};
    return { ...map, data: { mapRoles: `${mapRoles}${line}` } };
  });
  // The stack gives its hooks the topic as their target.
  aws.autoScaling.putHook(action.group, {
    name: action.hook,
    heartbeat: minutes(30),
    targetArn: deployment.topic(demoNode.names.topic).arn,
  });
  const env = awsEnvironment(url, aws.account.region, key);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const served = aws.eks.findCluster(demoNode.clusterName);
  return { ...sandbox, url, key, env, kubeconfig: (user) => kubeconfigFile(served, user) };
}

/** A token of the somebody, as a kubeconfig may have it. */
export const tokenOf = ({ key }: Site): Promise<string> =>
  eksToken({
    clusterName: "demo",
    region: "eu-west-1",
    credentials: async () => key,
    now: systemClock.now,
  });
