import type { Entry } from "../../journal/entry.ts";
import {
  actionToken,
  groupName,
  hookName,
  instanceId,
  nodeName,
  podUid,
} from "../../lambda/base/ids.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";

const node = nodeName("ip-192-168-18-230.eu-west-1.compute.internal");
const instance = instanceId("i-07e9ea9eb19a67337");
const pod = "demo/web";
const uid = podUid("uid-of-web");
const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", namespace: "demo", name: "web", uid };
const deadline = "2026-11-20T10:15:00.000Z";
const upgrade = "0badcafe";
const numbers = { budget: "demo/web", healthy: 3, desired: 3, allowed: 0 };

/** One entry of every kind. When the journal gets a new kind, this does not compile until the kind is added here. */
export const sampleEntries: { readonly [Kind in Entry["kind"]]: Entry & { readonly kind: Kind } } =
  {
    "pass-started": { kind: "pass-started", notice: "terminating i-1", receives: 2 },
    "node-found": { kind: "node-found", node, instance },
    "node-marked": {
      kind: "node-marked",
      node,
      labelled: "ours",
      cordoned: "theirs",
      reason: "terminating",
      deadline: "2026-11-20T10:15:00.000Z",
    },
    "mark-tightened": {
      kind: "mark-tightened",
      node,
      reason: "interrupted",
      deadline: "2026-11-20T10:01:45.000Z",
      markOf: "drain",
    },
    "drain-late": { kind: "drain-late", node, deadline: "2026-11-20T10:35:00.000Z" },
    "pods-seen": {
      kind: "pods-seen",
      node,
      holding: [pod],
      critical: [],
      skipped: ["kube-system/kube-proxy"],
      deadline,
    },
    "pods-protected": { kind: "pods-protected", node, pods: [{ pod, uid, why: "protected" }] },
    "pods-stuck": { kind: "pods-stuck", node, pods: [{ pod, uid, why: "stuck" }] },
    "pod-evicted": { kind: "pod-evicted", pod, node, graceSeconds: 30 },
    "pod-deleted": {
      kind: "pod-deleted",
      pod,
      node,
      graceSeconds: 7,
      past: "budget demo/web",
      uid,
    },
    "drain-news": {
      kind: "drain-news",
      news: "start",
      tone: "good",
      node,
      since: "2026-03-23T10:00:00.000Z",
      text: "2 pods have to leave",
      advice: "",
    },
    "grace-cut": { kind: "grace-cut", pod, node, graceSeconds: 98, ownSeconds: 300, uid },
    "pods-held": { kind: "pods-held", node, pods: [pod], owners: [owner], ...numbers },
    "pods-freed": { kind: "pods-freed", node, by: "budget", pods: [pod], ...numbers },
    "making-room": {
      kind: "making-room",
      node,
      workload: "demo/deployment/web",
      owner,
      stage: "surged",
      from: 1,
      to: 2,
      why: "node a under budget demo/web",
    },
    "pod-refused": {
      kind: "pod-refused",
      verb: "delete",
      past: "budget demo/web (maxUnavailable 1)",
      pod,
      why: "blocked",
      message: "Cannot evict pod",
    },
    "pod-gone": { kind: "pod-gone", pod, node },
    "mark-undone": { kind: "mark-undone", node },
    "node-cordoned": { kind: "node-cordoned", node, until: "2026-11-20T11:00:00.000Z" },
    "maintenance-planned": {
      kind: "maintenance-planned",
      node,
      starts: "2026-11-20T11:00:00.000Z",
    },
    "node-removed": { kind: "node-removed", node, instance },
    "out-of-service": { kind: "out-of-service", node, taint: "set" },
    "volumes-awaited": { kind: "volumes-awaited", node, volumes: ["pv-1"] },
    "targets-awaited": { kind: "targets-awaited", node, targets: ["target group web: x"] },
    "targets-gone": { kind: "targets-gone", node },
    "targets-deregistered": {
      kind: "targets-deregistered",
      node,
      targets: ["target group web: x"],
    },
    "role-registered": {
      kind: "role-registered",
      role: "arn:aws:iam::123456789012:role/node",
      platform: "windows",
      access: { by: "aws-auth", change: "added", version: "42" },
    },
    "node-awaited": { kind: "node-awaited", instance, reason: "no node has registered" },
    warning: { kind: "warning", about: pod, warnings: ["no controller will put it up again"] },
    heartbeat: { kind: "heartbeat", hook: "Terminate-LC-Hook", instance },
    "hook-completed": {
      kind: "hook-completed",
      action: {
        group: groupName("workers"),
        hook: hookName("Terminate-LC-Hook"),
        token: actionToken("3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a604"),
        instance,
      },
      result: "CONTINUE",
    },
    "pass-ended": {
      kind: "pass-ended",
      left: [{ about: "demo/web", why: "ending" }],
      wait: seconds(5),
    },
    "notice-done": {
      kind: "notice-done",
      notice: "terminating i-1",
      outcome: { kind: "drained", attached: [], stuck: [] },
    },
    fault: { kind: "fault", code: "cluster.refused", message: "HTTP 500", retryable: true },
    measured: {
      kind: "measured",
      figures: [{ name: "Faults", unit: "Count", value: 1, dimension: "Code", of: "aws.denied" }],
    },
    "upgrade-pass": { kind: "upgrade-pass", upgrade, command: "start", receives: 3 },
    "upgrade-launches": { kind: "upgrade-launches", upgrade, to: "2", before: "1" },
    "upgrade-phase-over": {
      kind: "upgrade-phase-over",
      upgrade,
      phase: "canary",
      took: seconds(30),
    },
    "upgrade-phase": { kind: "upgrade-phase", upgrade, phase: "canary", old: 3, fresh: 0 },
    "upgrade-sized": { kind: "upgrade-sized", upgrade, desired: 9, max: 12 },
    "upgrade-nodes": {
      kind: "upgrade-nodes",
      upgrade,
      deed: "blocked",
      nodes: [node],
      left: [{ about: pod, why: "ending" }],
    },
    "upgrade-terminated": { kind: "upgrade-terminated", upgrade, instances: [instance] },
    "upgrade-held": { kind: "upgrade-held", upgrade, reason: "window", wait: minutes(1) },
    "upgrade-failing": {
      kind: "upgrade-failing",
      upgrade,
      code: "PodEvictionFailure",
      message: "node-1: demo/web",
    },
    "upgrade-answered": {
      kind: "upgrade-answered",
      upgrade,
      command: "abort",
      end: { kind: "ended", outcome: "aborted" },
    },
    "repair-started": { kind: "repair-started", receives: 1 },
    "repair-pass": { kind: "repair-pass", groups: 2, instances: 9, nodes: 8, ill: 1 },
    "repair-ill": {
      kind: "repair-ill",
      node: "",
      cause: "NoNode",
      since: "2026-11-20T12:00:00.000Z",
      due: "2026-11-20T12:15:00.000Z",
      action: "replace",
      message: "",
      verdict: "waits",
    },
    "repair-begun": { kind: "repair-begun", node, cause: "Ready", action: "replace", deadline: "" },
    "repair-held": {
      kind: "repair-held",
      brake: "at-once",
      reason: "one is under way",
      instances: [instance],
    },
    "repair-rebooted": { kind: "repair-rebooted", node, cause: "KernelReady" },
    "repair-agent-restarted": {
      kind: "repair-agent-restarted",
      node,
      cause: "NetworkingReady/InterfaceNotUp",
      pod: "kube-system/eks-node-monitoring-agent-x7k2p",
    },
    "repair-done": { kind: "repair-done", node, by: instance },
    "repair-ended": { kind: "repair-ended", begun: 1, held: 0, waiting: 2 },
  };
