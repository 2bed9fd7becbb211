import { readFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { delimiter, dirname, resolve, sep } from "node:path";
import { type Cluster, KubeConfig, type User } from "@kubernetes/client-node";
import { parse } from "yaml";
import { CommandFailure } from "../command-failure.ts";
import { type OwnFields, ownForm } from "./kubectl-user-schema.ts";
import { proxyOf } from "./proxy-of.ts";

/** One file, with its paths made absolute. */
interface KubeconfigFile extends Pick<KubeConfig, "clusters" | "contexts" | "users"> {
  readonly currentContext: string;
  readonly own: ReadonlyMap<string, OwnFields>;
}

/**
 * A kubeconfig as kubectl reads it: client-node's, and what client-node leaves out. That is the merging of several files, of
 * which some may be absent, `tokenFile`, all of an impersonation but its user, the proxy of the environment, and what a
 * credential program learns of the request.
 */
export class KubectlConfig extends KubeConfig {
  readonly #own: ReadonlyMap<string, OwnFields>;

  private constructor(files: readonly KubeconfigFile[], env: Environment) {
    super();
    const clusters = firstOf(files.flatMap((file) => file.clusters)).map((cluster) => ({
      ...cluster,
      proxyUrl: cluster.proxyUrl ?? proxyOf(cluster.server, env),
    }));
    this.loadFromOptions({
      clusters,
      contexts: firstOf(files.flatMap((file) => file.contexts)),
      users: firstOf(files.flatMap((file) => file.users)),
      currentContext: files.map((file) => file.currentContext).find((name) => name !== "") ?? "",
    });
    this.#own = new Map(files.toReversed().flatMap(({ own }) => [...own]));
  }

  /** Reads one file, which has to be there. */
  static at(path: string, env: Environment): KubectlConfig {
    return new KubectlConfig([readFile(path)], env);
  }

  /** Reads the files of a list such as `KUBECONFIG`; those that are absent count as empty, and the first of a name counts. */
  static among(paths: string, env: Environment): KubectlConfig {
    const named = paths.split(delimiter).filter((path) => path !== "");
    return new KubectlConfig(named.flatMap(tryReadFile), env);
  }

  override async applyToHTTPSOptions(options: RequestOptions): Promise<void> {
    const user = this.getCurrentUser();
    const own = this.#own.get(user?.name ?? "") ?? {};
    const cluster = this.getCurrentCluster();
    if (user?.exec && cluster !== null) tellProgram(user, cluster);
    await super.applyToHTTPSOptions(options);
    options.headers = { ...options.headers, ...tokenOf(own), ...impersonationOf(own) };
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const firstOf = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] => {
  const first = new Map(all.toReversed().map((one) => [one.name, one]));
  return [...first.values()].toReversed();
};

function tryReadFile(path: string): readonly KubeconfigFile[] {
  try {
    return [readFile(path)];
  } catch (cause) {
    if (Object(cause).code === "ENOENT") return [];
    throw cause;
  }
}

function readFile(path: string): KubeconfigFile {
  const text = readFileSync(path, "utf8");
  const read = new KubeConfig();
  // A list without entries may be `null`, and a file of KUBECONFIG may be empty.
  if (text.trim() !== "") read.loadFromString(text);
  const folder = dirname(path);
  read.makePathsAbsolute(folder);
  const { currentContext = "" } = read;
  return {
    clusters: read.clusters,
    contexts: read.contexts,
    users: read.users.map((user) => byPath(user, folder)),
    currentContext,
    own: ownIn(text, folder),
  };
}

/** A program that is named by a path is beside the kubeconfig; any other is on the PATH. */
const byPath = (user: User, folder: string): User =>
  user.exec?.command?.includes(sep)
    ? { ...user, exec: { ...user.exec, command: resolve(folder, user.exec.command) } }
    : user;

function ownIn(text: string, folder: string): KubeconfigFile["own"] {
  const { data, error } = ownForm.safeParse(parse(text));
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) throw unusable(`${issue.path.join(".")}: ${issue.message}`);
  const users = (data?.users ?? []).map(({ name, user }): [string, OwnFields] => {
    const own = user ?? {};
    assertImpersonated(name, own);
    const { tokenFile } = own;
    return [name, { ...own, tokenFile: tokenFile && resolve(folder, tokenFile) }];
  });
  return new Map(users.toReversed());
}

function assertImpersonated(name: string, own: OwnFields): void {
  if (own.as || !(own["as-uid"] || own["as-groups"] || own["as-user-extra"])) return;
  throw unusable(`user ${name} has as-uid, as-groups or as-user-extra, and no as`);
}

const unusable = (why: string): CommandFailure =>
  new CommandFailure(why, "correct the kubeconfig, as kubectl wants it too");

/** The token of a file counts more than that of the kubeconfig, and may change at any time. */
const tokenOf = ({ tokenFile }: OwnFields): RequestOptions["headers"] =>
  tokenFile ? { Authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}` } : {};

/** The rest of an impersonation. @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/ */
function impersonationOf(own: OwnFields): Record<string, string | string[]> {
  const { "as-uid": uid, "as-groups": groups = [], "as-user-extra": extra = {} } = own;
  return {
    ...(uid && { "Impersonate-Uid": uid }),
    ...(groups.length > 0 && { "Impersonate-Group": groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `Impersonate-Extra-${encodeURIComponent(key)}`,
        values,
      ]),
    ),
  };
}

/** Tells a credential program what client-go tells it. @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#input-and-output-formats */
function tellProgram({ exec }: User, cluster: Cluster): void {
  const name = "KUBERNETES_EXEC_INFO";
  const others = (exec.env ?? []).filter((one: { name: string }) => one.name !== name);
  const spec = { interactive: false, ...(exec.provideClusterInfo && { cluster: facts(cluster) }) };
  const value = JSON.stringify({ apiVersion: exec.apiVersion, kind: "ExecCredential", spec });
  exec.env = [...others, { name, value }];
}

const facts = (cluster: Cluster) => ({
  server: cluster.server,
  "tls-server-name": cluster.tlsServerName,
  "insecure-skip-tls-verify": cluster.skipTLSVerify || undefined,
  "certificate-authority-data":
    cluster.caData ?? (cluster.caFile && readFileSync(cluster.caFile).toString("base64")),
  "proxy-url": cluster.proxyUrl,
});
