import type { Timeline } from "../timeline.ts";
import type { AccessKeys } from "./access-keys.ts";
import { type AwsAuthData, type Mapping, tryMapByConfigMap } from "./aws-auth.ts";
import { readBearerToken } from "./bearer-token.ts";
import { accountOf, type Identity, tryCanonicalArn } from "./canonical-arn.ts";
import { judgeSignature, type SignatureClaim } from "./signature-judge.ts";

/** A text with every placeholder filled in, or why it cannot be. */
type Rendered =
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "text"; readonly text: string };

/** Returns the private DNS name of an instance; undefined if there is no such instance. */
type PrivateDnsName = (instanceId: string) => string | undefined;

const instanceForm = /^i-(\w{8}|\w{17})$/;
const dnsPlaceholder = "{{EC2PrivateDNSName}}";

/**
 * Fills in the placeholders of a username or group.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/server/server.go
 */
function render(template: string, identity: Identity, dnsName: PrivateDnsName): Rendered {
  const { sessionName, accountId, accessKeyId } = identity;
  let text = template;
  if (template.includes(dnsPlaceholder)) {
    if (!instanceForm.test(sessionName))
      return { kind: "failed", reason: "SessionName did not contain an instance id" };
    const name = dnsName(sessionName);
    if (name === undefined || name === "")
      return {
        kind: "failed",
        reason: `failed querying private DNS from EC2 API for node ${sessionName}`,
      };
    text = text.replaceAll(dnsPlaceholder, name);
  }
  text = text
    .replaceAll("{{AccountID}}", accountId)
    .replaceAll("{{SessionName}}", sessionName.replaceAll("@", "-"))
    .replaceAll("{{SessionNameRaw}}", sessionName)
    .replaceAll("{{AccessKeyID}}", accessKeyId);
  return { kind: "text", text };
}

/** The cluster user that a token stands for, or why the token is refused. */
export type Authentication =
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "user"; readonly username: string; readonly groups: readonly string[] };

/** The cluster whose API server asks the authenticator. */
export interface AuthenticatedCluster {
  readonly name: string;
  readonly partition: string;
  readonly region: string;
  /** The data of ConfigMap `kube-system/aws-auth`; undefined if it is missing or not used. */
  awsAuth(): AwsAuthData | undefined;
  /** The user to which the access entries map a principal; undefined if no entry matches. */
  accessEntry(canonicalArn: string, userId: string): Mapping | undefined;
}

/** What the judgement of a token depends on. */
export interface AuthenticatorWorld {
  readonly timeline: Timeline;
  readonly keys: AccessKeys;
  readonly cluster: AuthenticatedCluster;
  readonly privateDnsName: PrivateDnsName;
}

const refused = (reason: string): Authentication => ({ kind: "refused", reason });

/** Judges the bearer tokens of EKS clusters as aws-iam-authenticator and STS do together. */
export class TokenAuthenticator {
  readonly #world: AuthenticatorWorld;
  /** The right signature of each token: a caller sends its token with every request for minutes. */
  readonly #signatures = new Map<string, Promise<string>>();

  constructor(world: AuthenticatorWorld) {
    this.#world = world;
  }

  async authenticate(token: string): Promise<Authentication> {
    const { timeline, keys, cluster } = this.#world;
    const { name, partition, region } = cluster;
    const now = timeline.now();
    const bearer = readBearerToken(token, { cluster: name, partition, region, now });
    if (bearer.kind === "refused") return bearer;

    const claim = this.#signedOnce(token, bearer.claim);
    const verdict = await judgeSignature(claim, { keys, now, signatures: "judged" });
    const failed = `error from AWS (expected 200, got 403) on ${region} endpoint`;
    if (verdict.kind === "refused") return refused(`${failed}: ${verdict.message}`);
    const { scope } = bearer.claim;
    if (scope.service !== "sts" || scope.region !== region)
      return refused(`${failed}: Credential should be scoped to a valid region.`);
    return this.#map(verdict.key.principal, bearer.claim.accessKeyId);
  }

  #signedOnce(token: string, claim: SignatureClaim): SignatureClaim {
    return {
      ...claim,
      signAgain: (...by) => {
        const signature = this.#signatures.get(token) ?? claim.signAgain(...by);
        this.#signatures.set(token, signature);
        return signature;
      },
    };
  }

  #map({ arn, userId }: { arn: string; userId: string }, accessKeyId: string): Authentication {
    const canonicalArn = tryCanonicalArn(arn);
    if (canonicalArn === undefined) return refused(`arn '${arn}' is invalid`);
    const sessionName = userId.split(":")[1] ?? "";
    const identity = { canonicalArn, accountId: accountOf(arn), sessionName, accessKeyId };
    const { cluster } = this.#world;
    const mapping =
      cluster.accessEntry(canonicalArn, userId) ??
      tryMapByConfigMap(cluster.awsAuth() ?? {}, identity);
    return mapping === undefined
      ? refused(`ARN is not mapped: ${canonicalArn}`)
      : this.#rendered(mapping, identity);
  }

  #rendered({ username, groups }: Mapping, identity: Identity): Authentication {
    const texts: string[] = [];
    for (const template of [username, ...groups]) {
      const rendered = render(template, identity, this.#world.privateDnsName);
      if (rendered.kind === "failed")
        return refused(`error rendering template "${template}": ${rendered.reason}`);
      texts.push(rendered.text);
    }
    const [name = "", ...named] = texts;
    return { kind: "user", username: name, groups: named };
  }
}
