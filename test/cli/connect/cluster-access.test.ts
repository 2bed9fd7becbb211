import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { VersionApi } from "@kubernetes/client-node";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type ClusterAccess, clusterAt } from "../../../cli/connect/cluster-access.ts";
import type { ConnectionOptions } from "../../../cli/connect/connection-options.ts";
import { main } from "../../../cli/main.ts";
import { nodeName } from "../../../lambda/base/ids.ts";
import { nodes } from "../../../sandbox/kubernetes/core-resources.ts";
import { loopbackCertificate } from "../../../sandbox/servers/certificates.ts";
import { configurationOf } from "../../support/configuration-of.ts";
import { capturedIo } from "../captured-io.ts";
import { fileForTest } from "../folder-for-test.ts";
import { aSite, type Site, tokenOf } from "./a-site.ts";
import { kubeconfigFile } from "./kubeconfig-file.ts";

/** Opens the way to the demo's cluster for one test. */
async function opened(options: ConnectionOptions): Promise<ClusterAccess> {
  const access = await clusterAt("demo", options);
  onTestFinished(() => access.close());
  return access;
}

/** Reads the first node of the site. */
async function firstNode(site: Site, options: ConnectionOptions) {
  const [first] = site.cluster.store.list(nodes);
  const name = first?.metadata.name ?? "";
  const { cluster } = await opened(options);
  expect(await cluster.node(nodeName(name))).toMatchObject({ name });
}

describe("a command reaches the cluster", () => {
  it("by its name in EKS, with a token that its user's credentials sign", async () => {
    await firstNode(await aSite(), {});
  });

  it("with the token of a kubeconfig", async () => {
    const site = await aSite();

    await firstNode(site, { kubeconfig: site.kubeconfig({ token: await tokenOf(site) }) });
  });

  it("with the token that the program of a kubeconfig prints, as `aws eks update-kubeconfig` writes it", async () => {
    const site = await aSite();
    const apiVersion = "client.authentication.k8s.io/v1beta1";
    const status = { token: await tokenOf(site) };
    const credential = JSON.stringify({ kind: "ExecCredential", apiVersion, status });
    const exec = { apiVersion, command: "echo", args: [credential], interactiveMode: "Never" };

    await firstNode(site, { kubeconfig: site.kubeconfig({ exec }) });
  });

  it("with the certificate of a kubeconfig, and no token", async () => {
    const { key, certificate, authority } = await loopbackCertificate("somebody");
    const heard: unknown[] = [];
    const options = { key, cert: certificate, requestCert: true, rejectUnauthorized: false };
    const server = createServer(options, ({ socket, headers }, response) => {
      const { subject } = (socket as TLSSocket).getPeerCertificate();
      heard.push([subject.CN, headers.authorization, headers["user-agent"]]);
      response.setHeader("content-type", "application/json").end('{"gitVersion":"v1"}');
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const served = { endpoint: `https://127.0.0.1:${port}`, certificateAuthority: authority };
    const inBase64 = (text: string) => Buffer.from(text).toString("base64");
    const user = {
      "client-certificate-data": inBase64(certificate),
      "client-key-data": inBase64(key),
    };

    const { client } = await opened({ kubeconfig: kubeconfigFile(served, user) });
    await client.ask("asking", (to) => new VersionApi(configurationOf(to)).getCode());

    expect(heard).toEqual([
      ["somebody", undefined, expect.stringMatching(/^eks-node-lifecycle\//)],
    ]);
  });
});

it("a command says which Region to give where nobody knows one", async () => {
  vi.stubEnv("AWS_REGION", undefined);
  vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
  onTestFinished(() => void vi.unstubAllEnvs());

  await expect(clusterAt("demo", {})).rejects.toMatchObject({
    message: "no Region of AWS is known",
    remedy: expect.stringContaining("--region"),
  });
});

describe("a kubeconfig that cannot be used", () => {
  it.each([
    ["demo", "or leave it out for a token of EKS"],
    [undefined, "or in its place --cluster NAME for a token of EKS"],
  ])("is told with the file and the remedy when it is not there: %s", async (name, otherwise) => {
    await expect(clusterAt(name, { kubeconfig: "/nowhere" })).rejects.toMatchObject({
      message: expect.stringContaining("reading /nowhere: ENOENT"),
      remedy: `give a file that \`kubectl --kubeconfig\` takes, ${otherwise}`,
    });
  });

  it.each(["http://127.0.0.1:8001", "127.0.0.1:8001"])(
    "is told with the scheme that its server needs when that is %s",
    async (endpoint) => {
      const kubeconfig = kubeconfigFile({ endpoint, certificateAuthority: "" }, { token: "a" });

      await expect(clusterAt("demo", { kubeconfig })).rejects.toMatchObject({
        message: `reading ${kubeconfig}: the server of its cluster demo is ${endpoint}`,
        remedy: "give the address of the API server with https://",
      });
    },
  );

  it("is told with the contexts that it has when it has not the one that is asked for", async () => {
    const served = { endpoint: "https://127.0.0.1:9", certificateAuthority: "" };
    const kubeconfig = kubeconfigFile(served, { token: "a" });

    await expect(clusterAt("demo", { kubeconfig, context: "other" })).rejects.toMatchObject({
      message: expect.stringContaining("no context other"),
      remedy: "name one of its contexts with --context: demo",
    });
  });

  it("is told on one line when it is no YAML", async () => {
    const kubeconfig = fileForTest("kubeconfig", "{{{: foo\n\t- x\n");

    await expect(clusterAt("demo", { kubeconfig })).rejects.toMatchObject({
      message: `reading ${kubeconfig}: unexpected end of the stream within a flow collection (3:1)`,
    });
  });

  it("is told with the program that is not installed", async () => {
    const served = { endpoint: "https://127.0.0.1:9", certificateAuthority: "" };
    const apiVersion = "client.authentication.k8s.io/v1beta1";
    const exec = { apiVersion, command: "aws-not-there", args: [], interactiveMode: "Never" };
    const io = capturedIo();

    const code = await main(["plan", "--kubeconfig", kubeconfigFile(served, { exec })], io);

    expect(code).toBe(1);
    expect(io.err()).toBe(
      "the program by which the kubeconfig signs in does not run: spawn aws-not-there ENOENT; install it, or correct users[].user.exec.command\n",
    );
  });

  it("is told when it is no kubeconfig at all", async () => {
    const kubeconfig = fileForTest("kubeconfig", "{}");

    await expect(clusterAt("demo", { kubeconfig })).rejects.toMatchObject({
      message: expect.stringContaining(kubeconfig),
    });
  });
});
