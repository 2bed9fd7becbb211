import { partition } from "@aws-sdk/core/client";
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

const isOfSts = (url: URL, { region }: AuthenticatedCluster): boolean =>
  url.origin === `https://sts.${region}.${partition(region).dnsSuffix}` &&
  url.pathname === "/" &&
  parameter(url, "action") === "GetCallerIdentity" &&
  parameter(url, "x-amz-signedheaders").split(";").includes(clusterHeader) &&
  [...url.searchParams.keys()].every((key) => allowed.has(key.toLowerCase()));

function isInTime(url: URL, now: Instant): boolean {
  const expires = parameter(url, "x-amz-expires");
  const at = tryReadSigningDate(parameter(url, "x-amz-date"));
  const mayLast = /^\d+$/.test(expires) && Number(expires) <= 900;
  return mayLast && at !== undefined && between(at, now) <= lifetime;
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

/**
 * Reads the presigned request out of a bearer token; undefined if it cannot be a token, whatever its signature. Of the
 * rules of aws-iam-authenticator these are the ones that a client breaks by mistake.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/token/token.go
 */
function tryRead(
  token: string,
  cluster: AuthenticatedCluster,
  now: Instant,
): SignatureClaim | undefined {
  if (!token.startsWith(prefix)) return undefined;
  const url = URL.parse(Buffer.from(token.slice(prefix.length), "base64url").toString());
  if (url === null || !isOfSts(url, cluster) || !isInTime(url, now)) return undefined;
  const credential = tryReadCredential(parameter(url, "x-amz-credential"));
  return (
    credential && {
      ...credential,
      securityToken: parameter(url, "x-amz-security-token"),
      timestamp: parameter(url, "x-amz-date"),
      signature: parameter(url, "x-amz-signature"),
      signAgain: signAgain(url, cluster.name),
    }
  );
}

/** The cluster whose API server asks the authenticator. */
export interface AuthenticatedCluster {
  readonly name: string;
  readonly region: string;
  /** The data of ConfigMap `kube-system/aws-auth`; undefined if it is missing or not used. */
  awsAuth(): AwsAuthData | undefined;
  /** The user to which the access entries map a principal; undefined if no entry matches. */
  accessEntry(canonicalArn: string, userId: string): Mapping | undefined;
}

/** The user of a session; of the placeholders of usernames and groups the sandbox needs only the name of the session. */
function tryMap({ arn, userId }: Principal, cluster: AuthenticatedCluster): Mapping | undefined {
  const role = roleOfSession(arn);
  const mapping =
    cluster.accessEntry(role, userId) ?? tryMapByConfigMap(cluster.awsAuth() ?? {}, role);
  const session = (userId.split(":")[1] ?? "").replaceAll("@", "-");
  const rendered = (template: string) => template.replaceAll("{{SessionName}}", session);
  return mapping && { username: rendered(mapping.username), groups: mapping.groups.map(rendered) };
}

/**
 * Finds the users of an EKS cluster's bearer tokens as aws-iam-authenticator and STS do together; undefined refuses a
 * token.
 */
export function tokenAuthenticator(
  timeline: Timeline,
  keys: AccessKeys,
  cluster: AuthenticatedCluster,
) {
  /** The right signature of each token: a caller sends its token with every request for minutes. */
  const signatures = new Map<string, Promise<string>>();
  return async (token: string): Promise<Mapping | undefined> => {
    const now = timeline.now();
    const claim = tryRead(token, cluster, now);
    if (claim?.scope.service !== "sts" || claim.scope.region !== cluster.region) return undefined;
    const signAgain: SignatureClaim["signAgain"] = (...by) => {
      const signature = signatures.get(token) ?? claim.signAgain(...by);
      signatures.set(token, signature);
      return signature;
    };
    const verdict = await judgeSignature(
      { ...claim, signAgain },
      { keys, now, signatures: "judged" },
    );
    return verdict.kind === "signed" ? tryMap(verdict.key.principal, cluster) : undefined;
  };
}
