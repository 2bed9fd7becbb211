import { expect, it, onTestFinished } from "vitest";
import { KubeSurvey } from "../../lambda/kubernetes/kube-survey.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import { startKubeServer } from "../../sandbox/servers/kube-server.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { start } from "../sandbox/aws-account.ts";
import { openedForTest } from "./opened-for-test.ts";

// One more than a page has; the first page is so long that it comes compressed.
const many = 501;

async function aServedCluster() {
  const cluster = new SandboxCluster(new VirtualTimeline(start));
  const { url, certificateAuthority, close } = await startKubeServer(cluster);
  onTestFinished(close);
  const address = { endpoint: new URL(url), certificateAuthority, userAgent: "test" };
  const connection = openedForTest(address, async () => "token");
  const survey = new KubeSurvey({
    ask: (_, call) => call(connection),
    once: (call) => call(connection),
  });
  return { cluster, survey };
}

it("nodes are told with their conditions, on however many pages they are, and with an instance if they run on EC2", async () => {
  const { cluster, survey } = await aServedCluster();
  cluster.addNode({ name: "elsewhere", providerID: "kind://docker/demo/elsewhere" });
  for (let at = 1; at < many; at += 1)
    cluster.addNode({
      ...{ name: `node-${at}`, state: at === 7 ? "not-ready" : "ready" },
      providerID: `aws:///eu-west-1a/i-${String(at).padStart(17, "0")}`,
    });

  const found = await survey.surveyed();

  expect(found).toHaveLength(many);
  expect(found.filter(({ instance }) => instance === "")).toMatchObject([{ name: "elsewhere" }]);
  const ill = found.filter(({ readiness }) => readiness !== "ready");
  expect(ill).toMatchObject([
    { name: "node-7", instance: "i-00000000000000007", created: start, bootId: expect.any(String) },
  ]);
  expect(ill[0]?.conditions).toContainEqual(
    expect.objectContaining({ type: "Ready", status: "False", since: start }),
  );
  expect(ill[0]?.bootId).not.toBe("");
});
