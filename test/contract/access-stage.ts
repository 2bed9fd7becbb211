import { AwsAuthAccess } from "../../lambda/aws/aws-auth-access.ts";
import { AwsAuthMap } from "../../lambda/aws/aws-auth-map.ts";
import { KubeEventRecorder } from "../../lambda/kubernetes/event-recorder.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { roleBasedAuthorizer } from "../../sandbox/kubernetes/api/authorizer.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import { startKubeServer } from "../../sandbox/servers/kube-server.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { Administrator } from "./administrator.ts";
import { type Caller, clusterName, startGround } from "./ground.ts";
import { awsAuth, rbac, theAdministrator, theFunction } from "./identities.ts";

/** A cluster whose `aws-auth` a test may write freely, because no caller needs it for access. */
export interface AccessStage {
  readonly administrator: Administrator;
  /** The registration in `aws-auth` by a process of the function that has just started. */
  process(): AwsAuthAccess;
  stop(): Promise<void>;
}

/** Registers roles in `aws-auth` as the function does. */
export function awsAuthAccess({ client }: Caller): AwsAuthAccess {
  const events = new KubeEventRecorder(client);
  return new AwsAuthAccess({ map: new AwsAuthMap(client), events, clock: systemClock });
}

/** Starts the sandbox's cluster, which knows its callers from a separate map. */
export async function startSandboxAccessStage(): Promise<AccessStage> {
  const timeline = new WallTimeline();
  const ground = await startGround(timeline);
  const cluster = new SandboxCluster(timeline, {
    authenticator: ground.aws.authenticator(clusterName, () => awsAuth.data),
    authorizer: roleBasedAuthorizer(rbac),
  });
  const server = await startKubeServer(cluster);
  ground.built(server.url, Buffer.from(server.certificateAuthority, "base64").toString());
  const connection = await ground.caller(theAdministrator.role).client.connection();
  return {
    administrator: new Administrator(connection),
    process: () => awsAuthAccess(ground.caller(theFunction.role)),
    async stop() {
      await server.close();
      await ground.server.close();
      timeline.stop();
    },
  };
}
