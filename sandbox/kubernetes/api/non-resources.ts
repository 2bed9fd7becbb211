import { answer } from "./call.ts";
import type { KubeResponse } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

const text = (status: number, body: string): KubeResponse => ({
  kind: "answer",
  status,
  headers: {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  },
  body,
});

const version = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.2",
  platform: "linux/amd64",
};

const groups = [
  "",
  "admissionregistration.k8s.io",
  "apps",
  "autoscaling",
  "events.k8s.io",
  "policy",
  "resource.k8s.io",
  "storage.k8s.io",
];

/** Answers the paths that need no permission: health and version. */
export function publicAnswer({ path, verb }: RequestInfo): KubeResponse | undefined {
  if (verb !== "get") return undefined;
  if (["/healthz", "/livez", "/readyz"].includes(path)) return text(200, "ok");
  return path === "/version" ? answer(200, version) : undefined;
}

/** The 404 for a path outside the API groups that the sandbox serves. */
export function strayAnswer({ isResource, group }: RequestInfo): KubeResponse | undefined {
  const known = isResource && groups.includes(group);
  return known ? undefined : text(404, "404 page not found\n");
}
