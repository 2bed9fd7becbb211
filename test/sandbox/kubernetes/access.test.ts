import { describe, expect, it } from "vitest";
import type { UserInfo } from "../../../sandbox/kubernetes/api/authenticator.ts";
import {
  type RbacObject,
  roleBasedAuthorizer,
} from "../../../sandbox/kubernetes/api/authorizer.ts";
import { kubeRequest } from "../../../sandbox/kubernetes/api/exchange.ts";
import { requestInfo } from "../../../sandbox/kubernetes/api/request-info.ts";

const drainer: UserInfo = { username: "drainer", groups: ["eks-node-lifecycle"] };

const rbac: readonly RbacObject[] = [
  {
    kind: "ClusterRole",
    metadata: { name: "drainer" },
    rules: [
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "patch"] },
      { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
      { apiGroups: ["policy"], resources: ["*"], verbs: ["list"] },
    ],
  },
  {
    kind: "ClusterRoleBinding",
    metadata: { name: "drainer" },
    roleRef: { kind: "ClusterRole", name: "drainer" },
    subjects: [{ kind: "Group", name: "eks-node-lifecycle" }],
  },
  {
    kind: "Role",
    metadata: { name: "aws-auth", namespace: "kube-system" },
    rules: [
      { apiGroups: [""], resources: ["configmaps"], resourceNames: ["aws-auth"], verbs: ["get"] },
    ],
  },
  {
    kind: "RoleBinding",
    metadata: { name: "aws-auth", namespace: "kube-system" },
    roleRef: { kind: "Role", name: "aws-auth" },
    subjects: [{ kind: "User", name: "drainer" }],
  },
];

const mayDo = (method: string, path: string, user = drainer): boolean =>
  roleBasedAuthorizer(rbac)(user, requestInfo(kubeRequest(method, path)));

describe("roles", () => {
  it.each([
    ["GET", "/api/v1/nodes/a"],
    ["GET", "/api/v1/nodes"],
    ["PATCH", "/api/v1/nodes/a"],
    ["POST", "/api/v1/namespaces/demo/pods/web/eviction"],
    ["GET", "/apis/policy/v1/poddisruptionbudgets"],
    ["GET", "/apis/policy/v1/namespaces/demo/poddisruptionbudgets"],
    ["GET", "/api/v1/namespaces/kube-system/configmaps/aws-auth"],
  ])("let their group %s %s", (method, path) => {
    expect(mayDo(method, path)).toBe(true);
  });

  it.each([
    ["another verb", "DELETE", "/api/v1/nodes/a"],
    ["a watch where only lists are allowed", "GET", "/api/v1/nodes?watch=1"],
    [
      "the resource where only its subresource is allowed",
      "GET",
      "/api/v1/namespaces/demo/pods/web",
    ],
    ["the subresource where only the resource is allowed", "PATCH", "/api/v1/nodes/a/status"],
    ["the same resource of another group", "GET", "/apis/apps/v1/poddisruptionbudgets"],
    ["a namespace without a binding", "GET", "/api/v1/namespaces/demo/configmaps/aws-auth"],
    ["another name", "GET", "/api/v1/namespaces/kube-system/configmaps/other"],
    ["all names", "GET", "/api/v1/namespaces/kube-system/configmaps"],
  ])("refuse %s", (_, method, path) => {
    expect(mayDo(method, path)).toBe(false);
  });

  it("give nothing to other users, and system:masters needs none", () => {
    const stranger = { username: "stranger", groups: ["system:authenticated"] };
    const master = { username: "root", groups: ["system:masters"] };

    expect(mayDo("GET", "/api/v1/nodes", stranger)).toBe(false);
    expect(mayDo("DELETE", "/api/v1/namespaces/x/pods/y", master)).toBe(true);
  });
});
