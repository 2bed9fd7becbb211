import { readFile } from "node:fs/promises";
import {
  AuthorizationV1Api,
  CoreV1Api,
  type V1ConfigMap,
  type V1ResourceAttributes,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { signToken } from "./sign-token.ts";
import { whoAmI, withToken } from "./who-am-i.ts";

const cluster = "demo";
const group = "eks-node-lifecycle";
const rolearn = "arn:aws:iam::111122223333:role/eks-node-lifecycle";
const mapped = { accessKeyId: "AKIDMAPPED", secretAccessKey: "mapped-secret" };
const unmapped = { accessKeyId: "AKIDOTHER", secretAccessKey: "other-secret" };
const sessionArn = (role: string) => `arn:aws:sts::111122223333:assumed-role/${role}/drain`;
const patience = { timeout: 20_000, interval: 200 };

const awsAuth: V1ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "aws-auth", namespace: "kube-system" },
  data: { mapRoles: `- rolearn: ${rolearn}\n  username: drainer\n  groups: [${group}]\n` },
};

/** Reads manifests of the function's rights. */
const rights = (...names: readonly string[]) =>
  Promise.all(names.map((name) => readFile(`lambda/rights/${name}.yaml`, "utf8")));

async function addKeys(controlPlane: ControlPlane): Promise<void> {
  await controlPlane.addAccessKey({ ...mapped, arn: sessionArn("eks-node-lifecycle") });
  await controlPlane.addAccessKey({ ...unmapped, arn: sessionArn("somebody-else") });
}

/** Reads `VERB RESOURCE[.GROUP][/SUBRESOURCE] [in NAMESPACE] [named NAME]`. */
function attributes(access: string): V1ResourceAttributes {
  const form =
    /^(?<verb>\w+) (?<resource>\w+)\.?(?<group>[\w.]*)\/?(?<subresource>\w*)( in (?<namespace>\S+))?( named (?<name>\S+))?$/;
  return { ...form.exec(access)?.groups };
}

it("a token is signed as botocore signs it", async () => {
  const token = await signToken({
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    sessionToken: "TOKEN/abc+==",
    cluster: "my-cluster",
    signingDate: new Date("2026-11-20T10:00:00Z"),
  });

  const url = Buffer.from(token.replace("k8s-aws-v1.", ""), "base64url").toString();
  expect(new URL(url).searchParams.get("X-Amz-Signature")).toBe(
    "cab7e9d0405f13376223f08ab7157a3e5bcc55dbafa55c3b41bd8179be9cb042",
  );
});

describe("access by aws-auth", () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ nodes: [], cluster });
    await addKeys(controlPlane);
    await controlPlane.apply(awsAuth, ...(await rights("rbac", "rbac-aws-auth-read")));
    await vi.waitFor(
      async () => whoAmI(controlPlane, await signToken({ ...mapped, cluster })),
      patience,
    );
  });

  afterAll(async () => controlPlane.stop());

  const refused = (token: string) =>
    expect(whoAmI(controlPlane, token)).rejects.toMatchObject({ code: 401 });

  it("identifies the holder of a token that a mapped role has signed", async () => {
    const user = await whoAmI(controlPlane, await signToken({ ...mapped, cluster }));

    expect(user.username).toBe("drainer");
    expect(user.groups).toEqual([group, "system:authenticated"]);
  });

  it("refuses a token with a forged signature", async () => {
    await refused(await signToken({ ...mapped, secretAccessKey: "guessed", cluster }));
  });

  it("refuses a token for another cluster", async () => {
    await refused(await signToken({ ...mapped, cluster: "another" }));
  });

  it("refuses a token that was signed more than 15 minutes ago", async () => {
    const signingDate = new Date(Date.now() - 16 * 60 * 1000);
    await refused(await signToken({ ...mapped, cluster, signingDate }));
  });

  it("refuses a token of a role that is not mapped", async () => {
    await refused(await signToken({ ...unmapped, cluster }));
  });

  async function allowed(access: string): Promise<boolean | undefined> {
    const api = controlPlane.api(AuthorizationV1Api);
    const spec = { user: "drainer", groups: [group], resourceAttributes: attributes(access) };
    const { status } = await api.createSubjectAccessReview({ body: { spec } });
    return status?.allowed;
  }

  it.each([
    "get nodes",
    "list nodes",
    "watch nodes",
    "patch nodes",
    "list pods",
    "watch pods",
    "create pods/eviction in demo",
    "get persistentvolumeclaims in demo",
    "get daemonsets.apps in kube-system",
    "list poddisruptionbudgets.policy",
    "watch poddisruptionbudgets.policy",
    "list volumeattachments.storage.k8s.io",
    "watch volumeattachments.storage.k8s.io",
    "get configmaps in kube-system named aws-auth",
  ])("lets the function %s", async (access) => {
    expect(await allowed(access)).toBe(true);
  });

  describe("where it writes aws-auth", { shuffle: false }, () => {
    const writing = [
      "update configmaps in kube-system named aws-auth",
      "create configmaps in kube-system",
      "create events.events.k8s.io in kube-system",
    ];

    it.each(writing)("does not let the function %s by default", async (access) => {
      expect(await allowed(access)).toBe(false);
    });

    it.each(writing)("lets the function %s", async (access) => {
      await controlPlane.apply(...(await rights("rbac-aws-auth-edit")));
      await expect.poll(() => allowed(access), patience).toBe(true);
    });
  });

  it.each([
    "delete nodes",
    "update nodes",
    "patch nodes/status",
    "get pods in demo",
    "delete pods in demo",
    "list persistentvolumeclaims",
    "create pods in demo",
    "patch pods in demo",
    "create pods/exec in demo",
    "list secrets in kube-system",
    "get configmaps in kube-system named coredns",
    "list configmaps in kube-system",
    "update configmaps in kube-system named coredns",
    "create configmaps in demo",
    "create events in demo",
    "create events in kube-system",
    "create events.events.k8s.io in demo",
    "delete configmaps in kube-system named aws-auth",
    "get configmaps in demo named aws-auth",
    "update daemonsets.apps in kube-system",
    "update poddisruptionbudgets.policy in demo",
    "patch volumeattachments.storage.k8s.io",
    "escalate clusterroles.rbac.authorization.k8s.io",
    "impersonate users",
  ])("does not let the function %s", async (access) => {
    expect(await allowed(access)).toBe(false);
  });

  it("applies these rules to the holder of a token", async () => {
    const kubeConfig = withToken(controlPlane, await signToken({ ...mapped, cluster }));
    const core = kubeConfig.makeApiClient(CoreV1Api);

    await expect(core.listNode()).resolves.toMatchObject({ items: [] });
    await expect(core.listSecretForAllNamespaces()).rejects.toMatchObject({ code: 403 });
  });
});

describe("access by access entries", () => {
  it("follows the entries as they change, and ignores aws-auth", async () => {
    const controlPlane = await startControlPlane({ nodes: [], cluster, authMode: "API" });
    try {
      await addKeys(controlPlane);
      await controlPlane.apply(awsAuth);
      const mappedToken = await signToken({ ...mapped, cluster });
      await expect(whoAmI(controlPlane, mappedToken)).rejects.toMatchObject({ code: 401 });

      await controlPlane.setAccessEntries([{ rolearn, username: "by-entry", groups: [group] }]);

      const name = async () => {
        const token = await signToken({ ...mapped, cluster });
        return whoAmI(controlPlane, token).then(
          ({ username }) => username,
          () => "nobody",
        );
      };
      await expect.poll(name, patience).toBe("by-entry");
    } finally {
      await controlPlane.stop();
    }
  });
});

describe("access printed for kubectl", () => {
  it("can be applied by kubectl completely, and applied again", async () => {
    const io = capturedIo();
    expect(await main(["manifests", "sample"], io)).toBe(0);
    const controlPlane = await startControlPlane({ nodes: [], cluster });
    try {
      await controlPlane.apply(io.out());
      await controlPlane.apply(io.out());
      const kinds = "clusterroles,validatingadmissionpolicies";
      const applied = await controlPlane.kubectlText("get", kinds, "--output=name");
      expect(applied.match(/eks-node-lifecycle\S*/g)).toEqual([
        "eks-node-lifecycle",
        "eks-node-lifecycle-events",
        "eks-node-lifecycle-force",
        "eks-node-lifecycle-node-removal",
        "eks-node-lifecycle",
        "eks-node-lifecycle-aws-auth",
        "eks-node-lifecycle-events",
      ]);
    } finally {
      await controlPlane.stop();
    }
  });
});
