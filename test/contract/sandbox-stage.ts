import type { AuditEvent } from "../../sandbox/cluster/api/audit.ts";
import type { Authenticator } from "../../sandbox/cluster/api/authenticator.ts";
import { roleBasedAuthorizer } from "../../sandbox/cluster/api/authorizer.ts";
import { configMaps } from "../../sandbox/cluster/core-resources.ts";
import { SandboxCluster } from "../../sandbox/cluster/sandbox-cluster.ts";
import { startKubeServer } from "../../sandbox/servers/kube-server.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { Administrator } from "./administrator.ts";
import { awsAuth, rbac, theAdministrator, theFunction } from "./cast.ts";
import { clusterName, type Ground, startGround } from "./ground.ts";
import type { Heard, Stage } from "./stage.ts";

const nodes = ["node-1", "node-2", "node-3"] as const;

/** A stage with the cluster behind it, for what a real server cannot be made to do. */
export interface SandboxStage extends Stage {
  readonly sandbox: SandboxCluster;
}

/** Starts the sandbox's cluster on loopback, with its account around it. */
export async function startSandboxStage(): Promise<SandboxStage> {
  const timeline = new WallTimeline();
  const ground = await startGround(timeline);
  const sandbox = clusterOn(timeline, ground);
  const server = await startKubeServer(sandbox);
  const authority = Buffer.from(server.certificateAuthority, "base64").toString();
  ground.built(server.url, authority);
  const connection = await ground.caller(theAdministrator.role).connection.current();
  return {
    sandbox,
    nodes,
    administrator: new Administrator(connection),
    caller: ground.caller,
    namespace: async (name) => sandbox.addNamespace(name),
    heard: async () =>
      sandbox.audit.filter(({ user }) => user.username === theFunction.role).map(heardOf),
    holdBudgets: async () => sandbox.holdBudgets(),
    releaseBudgets: async () => sandbox.releaseBudgets(),
    pauseKubelet: async (node) => sandbox.stopKubelet(node),
    resumeKubelet: async (node) => sandbox.resumeKubelet(node),
    async stop() {
      await server.close();
      await ground.server.close();
      timeline.stop();
    },
  };
}

function clusterOn(timeline: WallTimeline, { aws }: Ground): SandboxCluster {
  const ref = { resource: configMaps, namespace: "kube-system", name: "aws-auth" };
  const judge = aws.authenticator(clusterName, () => cluster.store.tryGet(ref)?.data);
  const authenticator: Authenticator = async (token) => {
    const judged = judge.authenticate(token);
    return judged.kind === "user" ? judged : undefined;
  };
  const authorizer = roleBasedAuthorizer(rbac);
  const cluster = new SandboxCluster(timeline, { authenticator, authorizer });
  cluster.addConfigMap(awsAuth);
  for (const [index, name] of nodes.entries())
    cluster.addNode({ name, providerID: `aws:///eu-west-1a/i-0000000000000000${index + 1}` });
  return cluster;
}

function heardOf({
  verb,
  requestURI,
  objectRef,
  responseStatus,
  requestObject,
}: AuditEvent): Heard {
  const { resource = "", subresource, name = "" } = objectRef ?? {};
  return {
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    name,
    uri: requestURI,
    code: responseStatus.code,
    body: requestObject,
  };
}
