import { setTimeout } from "node:timers/promises";
import { CoreV1Api } from "@kubernetes/client-node";
import { Aws } from "../../sandbox/aws/aws.ts";
import { type AwsServer, startAwsServer } from "../../sandbox/servers/aws-server.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { AuthenticatorWebhook, type Verdict } from "./authenticator-webhook.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { signToken } from "./sign-token.ts";

const cluster = "demo";
const meta = { name: "aws-auth", namespace: "kube-system" };
const marker = { accessKeyId: "AKIDMARKER", secretAccessKey: "marker" };
const keyOf = (role: string) => ({ accessKeyId: `AKID${role}`, secretAccessKey: role });

interface Parts {
  readonly account: string;
  readonly holders: ReadonlyMap<string, string>;
  readonly aws: Aws;
  readonly server: AwsServer;
  readonly controlPlane: ControlPlane;
  readonly webhook: AuthenticatorWebhook;
}

/** A control plane without nodes, and an instance for each role, whose session signs tokens. */
export class JudgedCluster {
  readonly controlPlane: ControlPlane;
  /** The account around it; its EKS does not know the cluster yet. */
  readonly aws: Aws;
  /** The URL of the account's server. */
  readonly awsUrl: string;
  readonly #parts: Parts;
  #version = 0;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.controlPlane = parts.controlPlane;
    this.aws = parts.aws;
    this.awsUrl = parts.server.url;
  }

  static async start(account: string, roles: readonly string[]): Promise<JudgedCluster> {
    const place = { partition: "aws", region: "eu-west-1", id: account };
    const aws = new Aws(new WallTimeline(), place);
    admitAuthenticator(aws);
    const holders = new Map(roles.map((role, at) => [role, `i-0000000000000000${at}`]));
    [...holders.values()].forEach((id, at) => {
      aws.ec2.run({ id, zone: "eu-west-1a", privateIp: `10.0.0.${at}` });
    });
    const server = await startAwsServer(aws);
    const controlPlane = await startControlPlane({
      nodes: [],
      cluster,
      ec2Endpoint: server.url,
      authMode: "API_AND_CONFIG_MAP",
    });
    const webhook = await AuthenticatorWebhook.of(controlPlane);
    const judged = new JudgedCluster({ account, holders, aws, server, controlPlane, webhook });
    await judged.#settle();
    return judged;
  }

  /** The private DNS name of the instance that signs for a role. */
  nodeName(role: string): string | undefined {
    return this.aws.ec2.tryFind(this.#parts.holders.get(role) ?? "")?.privateDnsName;
  }

  /**
   * Writes `mapRoles`, and waits until the authenticator has read it; a marker in `mapUsers` shows
   * that.
   */
  async write(mapRoles: string): Promise<void> {
    this.#version += 1;
    const username = `version-${this.#version}`;
    const arn = `arn:aws:iam::${this.#parts.account}:user/marker`;
    const mapUsers = `- {userarn: "${arn}", username: ${username}, groups: []}`;
    const body = { metadata: meta, data: { mapRoles, mapUsers } };
    await this.controlPlane.api(CoreV1Api).replaceNamespacedConfigMap({ ...meta, body });
    await this.#until(async () => usernameOf(await this.#judge(marker)) === username);
  }

  /** The user that the authenticator recognizes in the holder of each role. */
  async verdicts(): Promise<ReadonlyMap<string, Verdict>> {
    const judged = [...this.#parts.holders.keys()].map(
      async (role) => [role, await this.#judge(keyOf(role))] as const,
    );
    return new Map(await Promise.all(judged));
  }

  async stop(): Promise<void> {
    await this.controlPlane.stop();
    await this.#parts.server.close();
  }

  async #judge(key: { readonly accessKeyId: string; readonly secretAccessKey: string }) {
    return this.#parts.webhook.judge(await signToken({ ...key, cluster }));
  }

  /**
   * Registers all keys in STS, and waits until the authenticator has looked up the instances' names
   * in the background.
   */
  async #settle(): Promise<void> {
    const { account, holders } = this.#parts;
    const { namespace } = meta;
    await this.controlPlane.addAccessKey({ ...marker, arn: `arn:aws:iam::${account}:user/marker` });
    for (const [role, instance] of holders) {
      const arn = `arn:aws:sts::${account}:assumed-role/${role}/${instance}`;
      await this.controlPlane.addAccessKey({ ...keyOf(role), arn });
    }
    const core = this.controlPlane.api(CoreV1Api);
    await core.createNamespacedConfigMap({ namespace, body: { metadata: meta } });
    const username = "system:node:{{EC2PrivateDNSName}}";
    const arnOf = (role: string) => `arn:aws:iam::${account}:role/${role}`;
    const entries = [...holders.keys()].map((role) => ({ rolearn: arnOf(role), username }));
    await this.write(JSON.stringify(entries));
    await this.#until(async () => ![...(await this.verdicts()).values()].includes("refused"));
  }

  async #until(holds: () => Promise<boolean>): Promise<void> {
    for (let tried = 0; tried < 500; tried += 1) {
      if (await holds()) return;
      await setTimeout(20);
    }
    throw new Error(`the authenticator of ${this.controlPlane.folder} has not followed`);
  }
}

const usernameOf = (verdict: Verdict): string => (verdict === "refused" ? "" : verdict.username);

// test/control-plane/up gives the authenticator this key, to look up private DNS names in EC2.
function admitAuthenticator({ keys, account }: Aws): void {
  const key = { accessKeyId: "authenticator", secretAccessKey: "authenticator", sessionToken: "" };
  const principal = { arn: `arn:aws:iam::${account.id}:user/authenticator`, userId: "AIDAAUTH" };
  keys.add({ ...key, principal, expires: "never" });
}
