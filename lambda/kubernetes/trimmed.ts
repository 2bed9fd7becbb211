import type { Labels } from "../base/labels.ts";
import type { Controller, Pod } from "../drain/pod.ts";
import type { ReschedulablePod } from "../drain/reschedulable-pod.ts";
import type { Resources } from "../drain/resources.ts";

// Each is far more than what a pod has that nobody has made large.
const [mostTolerations, mostFinalizers, mostEntries] = [64, 8, 128];
const [longestValue, longestName, mostLetters] = [256, 512, 8000];

/** A pod without what makes it large. What is cut off may change how this pod is drained, and no other. */
export const trimmed = (pod: Pod): Pod => ({
  ...pod,
  labels: few(pod.labels),
  annotations: few(pod.annotations),
  tolerations: pod.tolerations.slice(0, mostTolerations),
  finalizers: pod.finalizers.slice(0, mostFinalizers),
  controller: named(pod.controller),
});

/** The entries with short values, as many as fit; no value by which a drain judges is long. */
function few(entries: Labels): Labels {
  let letters = 0;
  const fitting = Object.entries(entries).filter(([key, value = ""]) => {
    if (value.length > longestValue) return false;
    letters += key.length + value.length;
    return letters <= mostLetters;
  });
  return Object.fromEntries(fitting.slice(0, mostEntries));
}

/** The API server does not look at what a pod calls its owner. */
function named(controller: Controller): Controller {
  if (controller.kind === "none") return controller;
  const { type, apiVersion, name, uid } = controller;
  const isLong = [type, apiVersion, name, uid].some((text) => text.length > longestName);
  return isLong ? { ...controller, type: "", apiVersion: "", name: "", uid: "" } : controller;
}

/** The same of a pod with what decides where it may go; demands without end count as none. */
export const trimmedReschedulable = ({
  pod,
  requests,
  demands,
}: ReschedulablePod): ReschedulablePod => ({
  pod: trimmed(pod),
  requests: fewRequests(requests),
  demands: demands.filter((one) => JSON.stringify(one).length <= longestDemand),
});

/** The resources that a pod requests, or a node has; of very many only the usual ones. */
export const fewRequests = (requests: Resources, most = mostResources): Resources =>
  Object.keys(requests).length <= most
    ? requests
    : Object.fromEntries(Object.entries(requests).filter(([name]) => usual.includes(name)));

const usual = ["cpu", "memory", "ephemeral-storage", "pods"];
const [mostResources, longestDemand] = [32, 16_384];
