import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { readSavedEvent } from "../../../cli/replay/saved-event-schema.ts";
import { eksToken } from "../../../lambda/aws/eks-token.ts";
import { instant, seconds } from "../../../lambda/base/time.ts";
import type { Sandbox } from "../../../sandbox/sandbox.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { builtScript } from "./built-script.ts";
import { type Drainer, leaving } from "./cold-drain.ts";

const event = new URL("../../../events/demo-ng-terminate.json", import.meta.url);

/** This project: the notice starts a new process of the function; it is done when it completes the hook. */
export const ours: Drainer = async (sandbox) => {
  for (const message of readSavedEvent(readFileSync(event, "utf8")))
    sandbox.publish(demoNode.names.topic, message);
  while (sandbox.aws.autoScaling.actions()[0]?.end.kind !== "ended") await setTimeout(20);
};

/** The script that lists, watches and evicts over 20 kept-alive connections; it is done when the last pod is gone. */
export const bareScript: Drainer = async (sandbox) => {
  const script = await builtScript();
  const folder = dirname(script);
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, JSON.stringify(await kubeconfigFor(sandbox, folder)));
  const child = spawn(process.execPath, [script, leaving, kubeconfig], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${script} ended with ${code}`);
};

/** A kubeconfig with a token of the function. */
async function kubeconfigFor({ aws }: Sandbox, folder: string) {
  const role = aws.iam.createRole(demoNode.role);
  const key = aws.keys.assume({ role, sessionName: "bench", duration: seconds(900) });
  const { endpoint, certificateAuthority } = aws.eks.findCluster(demoNode.clusterName);
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, certificateAuthority);
  const token = await eksToken({
    clusterName: demoNode.clusterName,
    region: aws.account.region,
    credentials: async () => key,
    now: () => instant(Date.now()),
  });
  return {
    clusters: [{ cluster: { server: endpoint, "certificate-authority": ca } }],
    users: [{ user: { token } }],
  };
}
