import { between, type Instant, minutes } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { AccessKeys, Principal } from "./access-keys.ts";
import { roleOfSession } from "./account.ts";
import { type AwsAuthData, type Mapping, tryMapByConfigMap } from "./aws-auth.ts";
import {
  judgeSignature,
  type SignatureClaim,
  tryReadCredential,
  tryReadSigningDate,
} from "./signature-judge.ts";

/** What the reader of a token needs to know. */
interface TokenReading {
  /** The cluster's name, which the signature must cover. */
  readonly cluster: string;
  readonly partition: string;
  readonly region: string;
  readonly now: Instant;
}

const prefix = "k8s-aws-v1.";
/** The header that binds a token to its cluster. */
const clusterHeader = "x-k8s-aws-id";
const lifetime = minutes(15);
const allowed = new Set([
  "action",
  "version",
  "x-amz-algorithm",
  "x-amz-credential",
  "x-amz-date",
  "x-amz-expires",
  "x-amz-security-token",
  "x-amz-signature",
  "x-amz-signedheaders",
]);

/** A field of the query by its lower-case name; empty if it is not there. */
const parameter = ({ searchParams }: URL, name: string): string =>
  [...searchParams].find(([key]) => key.toLowerCase() === name)?.[1] ?? "";

const stsHost = ({ partition, region }: TokenReading): string =>
  `sts.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`;

function dateRefusal(text: string, now: Instant): string | undefined {
  const at = tryReadSigningDate(text);
  if (at === undefined) return `error parsing X-Amz-Date parameter ${text}`;
  return between(at, now) > lifetime
    ? `X-Amz-Date parameter is expired (15 minute expiration) ${text}`
    : undefined;
}

/**
 * Why a URL cannot be a token, whatever its signature; undefined if it can. Of the rules of aws-iam-authenticator these
 * are the ones that a client breaks by mistake.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/token/token.go
 */
function urlRefusal(url: URL, reading: TokenReading): string | undefined {
  if (url.origin !== `https://${stsHost(reading)}`) return `unexpected hostname "${url.host}"`;
  if (url.pathname !== "/") return "unexpected path in pre-signed URL";
  const stranger = [...url.searchParams.keys()].find((key) => !allowed.has(key.toLowerCase()));
  if (stranger !== undefined) return `non-whitelisted query parameter "${stranger}"`;
  if (parameter(url, "action") !== "GetCallerIdentity") return "unexpected action parameter";
  if (!parameter(url, "x-amz-signedheaders").split(";").includes(clusterHeader))
    return `client did not sign the ${clusterHeader} header in the pre-signed URL`;
  const expires = parameter(url, "x-amz-expires");
  if (!/^\d+$/.test(expires) || Number(expires) > 900)
    return `invalid X-Amz-Expires parameter in pre-signed URL: ${expires}`;
  return dateRefusal(parameter(url, "x-amz-date"), reading.now);
}

/** Signs again what a token for this cluster must have signed. */
const signAgain =
  (url: URL, cluster: string): SignatureClaim["signAgain"] =>
  async (signer, signingDate) => {
    const { hostname, pathname: path, searchParams } = url;
    const own = [...searchParams].filter(([name]) => !name.toLowerCase().startsWith("x-amz-"));
    const headers = { host: hostname, [clusterHeader]: cluster };
    const signed = await signer.presign(
      {
        protocol: "https:",
        hostname,
        method: "GET",
        path,
        query: Object.fromEntries(own),
        headers,
      },
      { signingDate, expiresIn: Number(parameter(url, "x-amz-expires")) },
    );
    return String(signed.query?.["X-Amz-Signature"]);
  };

/** Reads the presigned request out of a bearer token, or why the token is refused. */
function read(token: string, reading: TokenReading): SignatureClaim | string {
  if (!token.startsWith(prefix)) return `token is missing expected "${prefix}" prefix`;
  const text = Buffer.from(token.slice(prefix.length), "base64url").toString();
  const url = URL.parse(text);
  if (url === null) return "missing protocol scheme";
  const credential = tryReadCredential(parameter(url, "x-amz-credential"));
  if (credential === undefined) return "no credential in pre-signed URL";
  return (
    urlRefusal(url, reading) ?? {
      ...credential,
      securityToken: parameter(url, "x-amz-security-token"),
      timestamp: parameter(url, "x-amz-date"),
      signature: parameter(url, "x-amz-signature"),
      signAgain: signAgain(url, reading.cluster),
    }
  );
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
    const presigned = read(token, { cluster: name, partition, region, now });
    if (typeof presigned === "string")
      return refused(`input token was not properly formatted: ${presigned}`);

    const claim = this.#signedOnce(token, presigned);
    const verdict = await judgeSignature(claim, { keys, now, signatures: "judged" });
    const failed = `error from AWS (expected 200, got 403) on ${region} endpoint`;
    if (verdict.kind === "refused") return refused(`${failed}: ${verdict.message}`);
    const { scope } = presigned;
    if (scope.service !== "sts" || scope.region !== region)
      return refused(`${failed}: Credential should be scoped to a valid region.`);
    return this.#map(verdict.key.principal);
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

  /** The user of a session; of the placeholders of usernames and groups the sandbox needs only the name of the session. */
  #map({ arn, userId }: Principal): Authentication {
    const role = roleOfSession(arn);
    const { cluster } = this.#world;
    const mapping =
      cluster.accessEntry(role, userId) ?? tryMapByConfigMap(cluster.awsAuth() ?? {}, role);
    if (mapping === undefined) return refused(`ARN is not mapped: ${role}`);
    const session = (userId.split(":")[1] ?? "").replaceAll("@", "-");
    const rendered = (template: string) => template.replaceAll("{{SessionName}}", session);
    return {
      kind: "user",
      username: rendered(mapping.username),
      groups: mapping.groups.map(rendered),
    };
  }
}
