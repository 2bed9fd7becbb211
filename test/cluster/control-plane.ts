import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import {
  type ApiConstructor,
  type ApiType,
  KubeConfig,
  type KubernetesObject,
} from "@kubernetes/client-node";
import { type AuditEntry, type AuditFilter, matches, readAuditLog } from "./audit-log.ts";
import {
  type ClusterNode,
  type ControlPlaneOptions,
  inShort,
  scriptEnvironment,
} from "./control-plane-options.ts";
import { HeldCluster, scripts } from "./held-cluster.ts";
import { recordAdmissions } from "./recorded-admissions.ts";
import { takeRunFolder } from "./run-folder.ts";

/** A cluster, and the user of kubectl there. */
interface KubectlTarget {
  /** The folder of the kubectl binary. */
  readonly binaries: string;
  readonly kubeconfig: string;
  /** The folder of kubectl's cache of the API's resources. */
  readonly cache: string;
}

/** Runs kubectl with a text as its input, and returns its output. */
async function kubectl(
  target: KubectlTarget,
  args: readonly string[],
  input = "",
): Promise<string> {
  const own = [`--kubeconfig=${target.kubeconfig}`, `--cache-dir=${target.cache}`];
  const child = spawn(`${target.binaries}/kubectl`, [...own, ...args]);
  // kubectl may end before it has read all of its input; the exit code says whether that is an
  // error.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [printed, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (code === 0) return printed;
  throw new Error(`kubectl ${args.join(" ")}: ${complaint.trim()}`);
}

const run = promisify(execFile);

/** An access key, and the ARN that STS returns for its signer. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly arn: string;
}

/** An access entry in the form that EKS gives to the authenticator. */
export interface RoleMapping {
  readonly rolearn: string;
  readonly username: string;
  readonly groups: readonly string[];
}

interface Standing {
  readonly held: HeldCluster;
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly binaries: string;
  readonly url: string;
  readonly certificateAuthority: string;
}

/** A Kubernetes cluster on this computer; everything in it is real except the containers. */
export class ControlPlane {
  readonly #at: Standing;
  readonly #kubeConfig = new KubeConfig();

  private constructor(at: Standing) {
    this.#at = at;
    this.#kubeConfig.loadFromFile(this.kubeconfig);
  }

  static async start(options: ControlPlaneOptions): Promise<ControlPlane> {
    const binaries = (await run(`${scripts}/build`)).stdout.trim();
    const taken = await takeRunFolder(options.nodes.length);
    const env = scriptEnvironment(taken, binaries, options);
    const held = await HeldCluster.start(options.nodes.map(inShort), env);
    const certificateAuthority = await readFile(join(taken.path, "pki/ca.crt"), "utf8");
    const url = `https://127.0.0.1:${taken.port}`;
    return new ControlPlane({ held, env, folder: taken.path, binaries, url, certificateAuthority });
  }

  /** The URL of the API server. */
  get url(): string {
    return this.#at.url;
  }

  /** The certificate of the authority that has signed the API server's certificate, in PEM. */
  get certificateAuthority(): string {
    return this.#at.certificateAuthority;
  }

  /** The path of the administrator's kubeconfig. */
  get kubeconfig(): string {
    return join(this.#at.folder, "admin.kubeconfig");
  }

  /** The folder of the cluster's logs, process ids and certificates. */
  get folder(): string {
    return this.#at.folder;
  }

  /** A typed client of the API, as administrator. */
  api<T extends ApiType>(type: ApiConstructor<T>): T {
    return this.#kubeConfig.makeApiClient(type);
  }

  /** Runs kubectl as administrator and returns what it prints as JSON. */
  async kubectl(...args: readonly string[]): Promise<unknown> {
    return JSON.parse(await this.#kubectl([...args, "--output=json"]));
  }

  /** Runs kubectl as administrator and returns what it prints. */
  kubectlText(...args: readonly string[]): Promise<string> {
    return this.#kubectl(args);
  }

  /** Applies objects, or manifests in YAML, as administrator. */
  async apply(...manifests: readonly (KubernetesObject | string)[]): Promise<void> {
    const texts = manifests.map((it) => (typeof it === "string" ? it : JSON.stringify(it)));
    await this.#kubectl(["apply", "--filename=-"], texts.join("\n---\n"));
  }

  /** Reads the audit log, once it contains all requests answered before this call. */
  async audit(filter: AuditFilter = {}): Promise<readonly AuditEntry[]> {
    const mark = `/healthz?mark=${randomUUID()}`;
    await this.#kubectl(["get", "--raw", mark]);
    for (let tried = 0; tried < 100; tried += 1) {
      const entries = await readAuditLog(this.#at.folder);
      const marked = entries.some(({ uri }) => uri === mark);
      if (marked) return entries.filter((entry) => matches(entry, filter));
      await setTimeout(50);
    }
    throw new Error(`the audit log of ${this.#at.folder} has come to a stop`);
  }

  /** Registers an access key in STS. */
  async addAccessKey({ accessKeyId, secretAccessKey, arn }: AccessKey): Promise<void> {
    const line = `${accessKeyId} ${secretAccessKey} ${arn}\n`;
    await appendFile(join(this.#at.folder, "keys.txt"), line);
  }

  /**
   * Replaces the cluster's access entries; the authenticator must be set to read them (`authMode`).
   */
  async setAccessEntries(mapRoles: readonly RoleMapping[]): Promise<void> {
    await writeFile(join(this.#at.folder, "access-entries.json"), JSON.stringify({ mapRoles }));
  }

  /** Lets a new instance join, and waits until its node is ready. */
  async nodeUp({ name, instanceId, zone }: ClusterNode): Promise<void> {
    await run(`${scripts}/node-up`, [name, instanceId, zone], { env: this.#at.env });
  }

  /** Reboots the machine of a node: its kubelet ends at once, and another starts with another boot id. */
  async rebootNode(node: string): Promise<void> {
    await run(`${scripts}/node-reboot`, [node], { env: this.#at.env });
  }

  /** Silences a node: its kubelet neither acts nor reports from now on. */
  async pauseKubelet(node: string): Promise<void> {
    process.kill(await this.#kubelet(node), "SIGSTOP");
  }

  /** Ends the cluster and removes all its files. */
  async stop(): Promise<void> {
    await this.#at.held.release();
  }

  async #kubectl(args: readonly string[], input?: string): Promise<string> {
    const { binaries, folder } = this.#at;
    const target = { binaries, kubeconfig: this.kubeconfig, cache: join(folder, "kubectl") };
    return kubectl(target, args, input);
  }

  async #kubelet(node: string): Promise<number> {
    const pids = await readFile(join(this.#at.folder, "pids"), "utf8");
    const line = pids.split("\n").find((it) => it.endsWith(` kubelet-${node}`));
    if (line === undefined) throw new Error(`no kubelet for a node ${node}`);
    return Number.parseInt(line, 10);
  }
}

/** Starts a control plane and waits until its nodes are ready. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const controlPlane = await ControlPlane.start(options);
  const { RECORDED_ADMISSIONS: folder } = process.env;
  if (folder !== undefined) await recordAdmissions(controlPlane, folder);
  return controlPlane;
}
