import type { AuditEvent } from "../../sandbox/kubernetes/api/audit-trail.ts";
import { roleBasedAuthorizer } from "../../sandbox/kubernetes/api/authorizer.ts";
import { throttled } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { configMaps } from "../../sandbox/kubernetes/core-resources.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import { type KubeServer, startKubeServer } from "../../sandbox/servers/kube-server.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { Administrator } from "./administrator.ts";
import { clusterName, type Ground, startGround } from "./ground.ts";
import { awsAuth, rbac, theAdministrator, theFunction } from "./identities.ts";
import type { Heard, Stage } from "./stage.ts";

const nodes = ["node-1", "node-2", "node-3"] as const;

/** A stage with access to its sandbox, for what a test cannot make a real server do. */
export interface SandboxStage extends Stage {
  readonly sandbox: SandboxCluster;
  /** Breaks every connection, and waits until the administrator is back. */
  dropConnections(): Promise<void>;
  /** Changes the certificate that the server shows, and the authority that EKS gives for it. */
  rotateCertificate(): Promise<void>;
}

/** Starts the sandbox's cluster on loopback, with its account around it. */
export async function startSandboxStage(): Promise<SandboxStage> {
  const timeline = new WallTimeline();
  const ground = await startGround(timeline);
  const sandbox = clusterOn(timeline, ground);
  const server = await startKubeServer(sandbox);
  ground.built(server.url, authorityOf(server));
  const connection = await ground.caller(theAdministrator.role).client.connection();
  const administrator = new Administrator(connection);
  return {
    sandbox,
    async dropConnections() {
      server.dropConnections();
      await administrator.ask({ path: "/readyz" });
    },
    async rotateCertificate() {
      await server.rotateCertificate();
      server.dropConnections();
      ground.built(server.url, authorityOf(server));
    },
    nodes,
    administrator,
    caller: ground.caller,
    namespace: async (name) => sandbox.addNamespace(name),
    heard: async () =>
      sandbox.audit.filter(({ user }) => user.username === theFunction.role).map(heardOf),
    async throttle({ namespace }) {
      sandbox.failNext({ namespace }, throttled(1), { times: Number.POSITIVE_INFINITY });
    },
    async stop() {
      await server.close();
      await ground.server.close();
      timeline.stop();
    },
  };
}

const authorityOf = ({ certificateAuthority }: KubeServer): string =>
  Buffer.from(certificateAuthority, "base64").toString();

function clusterOn(timeline: WallTimeline, { aws }: Ground): SandboxCluster {
  const ref = { resource: configMaps, namespace: "kube-system", name: "aws-auth" };
  const authenticator = aws.authenticator(clusterName, () => cluster.store.tryGet(ref)?.data);
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
