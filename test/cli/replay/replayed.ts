import { readFileSync } from "node:fs";
import { deployDemo } from "../../../cli/replay/deploy-demo.ts";
import type { ReplayRequest } from "../../../cli/replay/replay-request.ts";
import { runReplay } from "../../../cli/replay/replay-run.ts";
import { readSavedEvent } from "../../../cli/replay/saved-event-schema.ts";
import { verdictOf } from "../../../cli/replay/verdict.ts";
import { productName } from "../../../lambda/base/contract.ts";
import { type Duration, seconds } from "../../../lambda/base/time.ts";
import { kubeEvents } from "../../../sandbox/kubernetes/kube-event.ts";
import { type Sandbox, startSandbox } from "../../../sandbox/sandbox.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNg } from "../../../sandbox/scenarios/demo-ng.ts";

/** The messages of a saved event. */
export const messagesOf = (name: string) =>
  readSavedEvent(readFileSync(new URL(`../../../events/${name}.json`, import.meta.url), "utf8"));

/** Options of a test; by default it replays the event of a held instance through the queue. */
export type Asked = Partial<ReplayRequest> & { readonly visibility?: Duration };

/** A sandbox with the function as it is deployed. */
export async function aSandbox({ broken = "nothing", ...asked }: Asked = {}): Promise<Sandbox> {
  const { drainTimeout = "as usual", launchTimeout = "as usual", visibility } = asked;
  const queue = visibility === undefined ? {} : { visibility };
  return startSandbox(
    demoNg(broken),
    await deployDemo({ group: terminateAction.group, drainTimeout, launchTimeout }, queue),
  );
}

/** Replays as a test asks, and shows what the function did. */
export async function replayed(asked: Asked = {}) {
  const sandbox = await aSandbox(asked);
  try {
    const request: ReplayRequest = {
      event: "events/demo-ng-terminate.json",
      messages: messagesOf("demo-ng-terminate"),
      action: terminateAction,
      via: "queue",
      broken: "nothing",
      drainTimeout: "as usual",
      launchTimeout: "as usual",
      timeout: seconds(60),
      format: "text",
      page: "",
      ...asked,
    };
    const result = await runReplay(sandbox, request, new AbortController().signal);
    return { sandbox, result, verdict: verdictOf(result), written: written(sandbox) };
  } finally {
    await sandbox.close();
  }
}

/** Every request of the function to change something in the cluster, as in the audit log; without Events, which change nothing. */
export const written = ({ cluster }: Sandbox): readonly string[] =>
  cluster.audit
    .filter(({ userAgent }) => userAgent.startsWith(`${productName}/`))
    .filter(({ verb }) => !["get", "list", "watch"].includes(verb))
    .filter(({ objectRef }) => objectRef?.apiGroup !== kubeEvents.group)
    .map(({ verb, objectRef, responseStatus: { code } }) => {
      const { resource = "", subresource, namespace = "", name = "" } = objectRef ?? {};
      const what = subresource === undefined ? resource : `${resource}/${subresource}`;
      return `${verb} ${what} ${[namespace, name].filter(Boolean).join("/")}: ${code}`;
    });

/** Every call of the function to change something in an AWS service. */
export const called = ({ aws }: Sandbox): readonly string[] =>
  aws.calls
    .all()
    .map(({ action }) => action)
    .filter((action) => !action.startsWith("Describe"));
