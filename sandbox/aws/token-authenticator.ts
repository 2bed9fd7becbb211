import type { Timeline } from "../timeline.ts";
import type { AccessKeys } from "./access-keys.ts";
import { type AwsAuthData, type Mapping, tryMapByConfigMap } from "./aws-auth.ts";
import { readBearerToken } from "./bearer-token.ts";
import { accountOf, type Identity, tryCanonicalArn } from "./canonical-arn.ts";
import { judgeSignature, type SignatureClaim } from "./signature-judge.ts";

/**
 * Fills in the placeholders of a username or group. No kubelet of the sandbox has a token, so that none asks for the DNS
 * name of an instance.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/server/server.go
 */
const rendered = (template: string, { sessionName, accountId, accessKeyId }: Identity): string =>
  template
    .replaceAll("{{AccountID}}", accountId)
    .replaceAll("{{SessionName}}", sessionName.replaceAll("@", "-"))
    .replaceAll("{{SessionNameRaw}}", sessionName)
    .replaceAll("{{AccessKeyID}}", accessKeyId);

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
    if (mapping === undefined) return refused(`ARN is not mapped: ${canonicalArn}`);
    const { username, groups } = mapping;
    const inPlace = (template: string) => rendered(template, identity);
    return { kind: "user", username: inPlace(username), groups: groups.map(inPlace) };
  }
}
