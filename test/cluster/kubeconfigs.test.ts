import { execFile } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { clusterAt } from "../../cli/connect/cluster-access.ts";
import { sendRequest } from "../../lambda/kubernetes/send-request.ts";
import { listening } from "../../sandbox/servers/listening.ts";
import { folderForTest } from "../cli/folder-for-test.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const run = promisify(execFile);

let controlPlane: ControlPlane;
/** A token of a service account. */
let token: string;
let proxy: string;
/** The host and the port that the proxy was asked for. */
const asked: string[] = [];
const proxyServer = createServer().on("connect", ({ url = "" }, near) => {
  asked.push(url);
  const far = connect(Number(new URL(controlPlane.url).port), "127.0.0.1", () => {
    near.write("HTTP/1.1 200 OK\r\n\r\n");
    near.pipe(far).pipe(near);
  });
  for (const end of [near, far]) end.on("error", () => end.destroy());
});

beforeAll(async () => {
  controlPlane = await startControlPlane({ nodes: [] });
  await controlPlane.kubectlText("create", "serviceaccount", "tester");
  token = (await controlPlane.kubectlText("create", "token", "tester")).trim();
  proxy = `http://${await listening(proxyServer)}`;
});
afterAll(async () => {
  proxyServer.close();
  await controlPlane.stop();
});
afterEach(() => {
  vi.unstubAllEnvs();
  asked.splice(0);
});

type Fields = Readonly<Record<string, unknown>>;

interface Given {
  readonly cluster?: Fields;
  readonly user?: Fields;
  readonly context?: Fields;
  readonly name?: string;
}

const inBase64 = (path: string) => readFileSync(join(controlPlane.folder, path)).toString("base64");
const authority = () => ({ "certificate-authority-data": inBase64("pki/ca.crt") });
const admin = () => ({
  "client-certificate-data": inBase64("pki/admin.crt"),
  "client-key-data": inBase64("pki/admin.key"),
});

/** A kubeconfig for the control plane, with its authority unless another cluster is given. */
const kubeconfig = ({ cluster = authority(), user = {}, context = {}, name = "c" }: Given) => ({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name, cluster: { server: controlPlane.url, ...cluster } }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name, ...context } }],
  "current-context": name,
});

/** The address of the API server by a name that no resolver knows, so that only a proxy finds it. */
const named = () => controlPlane.url.replace("127.0.0.1", "kubernetes");

/** A program that prints a credential if client-go's environment tells it about the request. */
const program = (status: Fields, told = '"kind":"ExecCredential"') => `#!/bin/sh
case "$KUBERNETES_EXEC_INFO" in *'${told}'*) ;; *) echo "nobody said what for" >&2; exit 1 ;; esac
printf '%s' '${JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status })}'
`;
const exec = (command: string, more: Fields = {}) => ({
  exec: {
    apiVersion: "client.authentication.k8s.io/v1",
    command,
    interactiveMode: "Never",
    ...more,
  },
});
const text = (path: string) => readFileSync(join(controlPlane.folder, path), "utf8");

interface Wild {
  readonly files: Readonly<Record<string, object | string>>;
  /** @default `config` alone */
  readonly listed?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly verdict: "allowed" | "refused";
}

const one = (given: Given, more: Readonly<Record<string, string>> = {}) => ({
  config: kubeconfig(given),
  ...more,
});

const wild: Readonly<Record<string, () => Wild>> = {
  "client certificates in it": () => ({ files: one({ user: admin() }), verdict: "allowed" }),
  "an authority and client certificates in files beside it": () => ({
    files: one(
      {
        cluster: { "certificate-authority": "pki/ca.crt" },
        user: { "client-certificate": "pki/me.crt", "client-key": "pki/me.key" },
      },
      {
        "pki/ca.crt": text("pki/ca.crt"),
        "pki/me.crt": text("pki/admin.crt"),
        "pki/me.key": text("pki/admin.key"),
      },
    ),
    verdict: "allowed",
  }),
  "the same in it, and others in files": () => ({
    files: one(
      {
        cluster: { ...authority(), "certificate-authority": "old" },
        user: { ...admin(), "client-certificate": "old", "client-key": "old" },
      },
      { old: "expired" },
    ),
    verdict: "refused",
  }),
  "a token, and a context with a namespace": () => ({
    files: one({ user: { token }, context: { namespace: "kube-system" } }),
    verdict: "allowed",
  }),
  "a token in a file, which ends with a line break": () => ({
    files: one({ user: { tokenFile: "token" } }, { token: `${token}\n` }),
    verdict: "allowed",
  }),
  "a token in a file, and an old one in it": () => ({
    files: one({ user: { tokenFile: "token", token: "old" } }, { token }),
    verdict: "allowed",
  }),
  "a program beside it that prints a token": () => ({
    files: one({ user: exec("./bin/sign-in") }, { "bin/sign-in": program({ token }) }),
    verdict: "allowed",
  }),
  "a program that has to know the cluster, and prints a certificate": () => {
    const status = {
      clientCertificateData: text("pki/admin.crt"),
      clientKeyData: text("pki/admin.key"),
    };
    const told = `"server":"${controlPlane.url}"`;
    return {
      files: one(
        { user: exec("./sign-in", { provideClusterInfo: true }) },
        { "sign-in": program(status, told) },
      ),
      verdict: "allowed",
    };
  },
  "a program that fails": () => ({
    files: one({ user: exec("./sign-in") }, { "sign-in": "#!/bin/sh\nexit 3\n" }),
    verdict: "refused",
  }),
  "an identity token of OpenID Connect": () => ({
    files: one({
      user: {
        "auth-provider": {
          name: "oidc",
          config: {
            "client-id": "tester",
            "id-token": token,
            "idp-issuer-url": "https://issuer.invalid",
            "refresh-token": "never used",
          },
        },
      },
    }),
    verdict: "allowed",
  }),
  "a proxy": () => ({
    files: one({
      cluster: { ...authority(), server: named(), "proxy-url": proxy },
      user: admin(),
    }),
    verdict: "allowed",
  }),
  "a server that only the proxy of the environment finds": () => ({
    files: one({ cluster: { ...authority(), server: named() }, user: { token } }),
    env: { HTTPS_PROXY: proxy },
    verdict: "allowed",
  }),
  "a server that the environment keeps from the proxy": () => ({
    files: one({ cluster: { ...authority(), server: named() }, user: { token } }),
    env: { HTTPS_PROXY: proxy, NO_PROXY: "example.com,kubernetes" },
    verdict: "refused",
  }),
  "a server on this computer, which goes by no proxy": () => ({
    files: one({ user: { token } }),
    env: { HTTPS_PROXY: "http://127.0.0.1:9" },
    verdict: "allowed",
  }),
  "another name of the server": () => ({
    files: one({ cluster: { ...authority(), "tls-server-name": "kubernetes" }, user: admin() }),
    verdict: "allowed",
  }),
  "a name that its server has not": () => ({
    files: one({ cluster: { ...authority(), "tls-server-name": "elsewhere" }, user: admin() }),
    verdict: "refused",
  }),
  "somebody whom it impersonates, with groups, an id and more": () => ({
    files: one({
      user: {
        ...admin(),
        as: "jane",
        "as-uid": "42",
        "as-groups": ["dev", "on-call"],
        "as-user-extra": { "example.com/reason": ["a look", "b"] },
      },
    }),
    verdict: "allowed",
  }),
  "groups without somebody whom it impersonates": () => ({
    files: one({ user: { ...admin(), "as-groups": ["dev"] } }),
    verdict: "refused",
  }),
  "parts in several files, one of them absent and one of them empty": () => {
    const { clusters, contexts } = kubeconfig({ user: { token } });
    return {
      files: {
        first: { contexts, "current-context": "c" },
        empty: "",
        second: { clusters, users: [{ name: "c", user: { token } }] },
        third: { users: [{ name: "c", user: { token: "hides" } }], "current-context": "other" },
      },
      listed: ["first", "absent", "empty", "second", "third"],
      verdict: "allowed",
    };
  },
  "files that are all absent": () => ({ files: {}, listed: ["no", "where"], verdict: "refused" }),
  "a context that is not there": () => ({
    files: { config: { ...kubeconfig({ user: { token } }), "current-context": "other" } },
    verdict: "refused",
  }),
  "no authority": () => ({ files: one({ cluster: {}, user: { token } }), verdict: "refused" }),
  "a server that it does not verify": () => ({
    files: one({ cluster: { "insecure-skip-tls-verify": true }, user: { token } }),
    verdict: "allowed",
  }),
  "an authority and a server that it does not verify": () => ({
    files: one({ cluster: { ...authority(), "insecure-skip-tls-verify": true }, user: { token } }),
    verdict: "refused",
  }),
  "a name and a password": () => ({
    files: one({ user: { username: "me", password: "secret" } }),
    verdict: "refused",
  }),
};

type Verdict = { readonly userInfo: unknown } | "refused";

const reviewed = (json: string): Verdict => ({
  userInfo: Object(JSON.parse(json)).status.userInfo,
});

/** Whom the API server sees when kubectl asks. */
async function kubectls(folder: string, env: NodeJS.ProcessEnv): Promise<Verdict> {
  const binaries = (await run("test/control-plane/build")).stdout.trim();
  const args = ["auth", "whoami", "--output=json", `--cache-dir=${folder}/cache`];
  const { PATH } = process.env;
  return run(`${binaries}/kubectl`, args, { env: { PATH, ...env } }).then(
    ({ stdout }) => reviewed(stdout),
    () => "refused",
  );
}

/** Whom the API server sees when a command of ours asks. */
async function ours(): Promise<Verdict> {
  try {
    const { client } = await clusterAt(undefined, { context: undefined });
    const { body } = await client.ask("asking who I am", (connection) =>
      sendRequest(connection, {
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      }),
    );
    return reviewed(body);
  } catch {
    return "refused";
  }
}

it.each(Object.keys(wild))(
  "kubectl and our commands agree on a kubeconfig with %s",
  async (name) => {
    const { files, listed = ["config"], env = {}, verdict } = wild[name]?.() ?? expect.fail();
    const texts = Object.entries(files).map(([path, content]) => [
      path,
      typeof content === "string" ? content : JSON.stringify(content),
    ]);
    const folder = folderForTest(Object.fromEntries(texts));
    for (const path of Object.keys(files)) chmodSync(join(folder, path), 0o700);
    const all = {
      HOME: folder,
      KUBECONFIG: listed.map((path) => join(folder, path)).join(":"),
      HTTPS_PROXY: "",
      NO_PROXY: "",
      https_proxy: "",
      no_proxy: "",
      ...env,
    };
    for (const [key, value] of Object.entries(all)) vi.stubEnv(key, value);

    const theirs = await kubectls(folder, all);
    const byProxy = asked.splice(0).length > 0;

    expect(theirs === "refused" ? "refused" : "allowed").toBe(verdict);
    expect(await ours()).toEqual(theirs);
    expect(asked.length > 0).toBe(byProxy);
  },
);
