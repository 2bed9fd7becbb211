import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { clusterAt } from "../../cli/connect/cluster-access.ts";
import { known, unknown } from "../../cli/connect/found.ts";
import { apiServerCheck } from "../../cli/doctor/api-server.ts";
import { fencesCheck } from "../../cli/doctor/fences.ts";
import { objectsOf, rbacCheck } from "../../cli/doctor/rbac.ts";
import type { ExaminedSite } from "../../cli/doctor/site.ts";
import { timedAnswers } from "../../cli/doctor/timed-answers.ts";
import { byHand } from "../../cli/manifests/access-manifests.ts";
import { productVersion } from "../../lambda/base/contract.ts";
import { instant } from "../../lambda/base/time.ts";
import { parseConfig } from "../../lambda/config/config.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const queue = "https://sqs.eu-west-1.amazonaws.com/123456789012/queue";
const config = parseConfig({
  AWS_REGION: "eu-west-1",
  CLUSTER_NAME: "demo",
  MANAGED_GROUPS: '["workers"]',
  QUEUE_URL: queue,
  DEAD_LETTER_QUEUE_URL: queue,
});

describe("doctor on a real control plane", () => {
  let controlPlane: ControlPlane;
  let site: ExaminedSite;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ nodes: [] });
    const { kubeconfig } = controlPlane;
    const nothing = known([]);
    const none = () => known("");
    const version = () => known(productVersion);
    const absent = unknown("stack demo has no output of the name", "", "output");
    const deployed = (name: string) => (/^(Upgrade|Repair)/.test(name) ? absent : version());
    const access = await clusterAt(undefined, { kubeconfig });
    site = {
      name: "demo",
      region: "eu-west-1",
      now: instant(0),
      aws: { customUserAgent: [] },
      access,
      answers: timedAnswers(access),
      parts: {
        stack: "demo",
        output: deployed,
        function: known({}),
        config: known(config),
        state: known({ stack: "demo", status: "CREATE_COMPLETE", reason: "" }),
        queueUrl: none(),
        deadLettersUrl: none(),
      },
      cluster: known({ accessConfig: { authenticationMode: "CONFIG_MAP" } }),
      settings: [],
      groups: nothing,
      otherGroups: nothing,
      resources: nothing,
      upgradeFunction: absent,
      repairFunction: absent,
    };
  });
  beforeEach(async () => {
    const objects = objectsOf(site);
    if (objects.kind === "unknown") throw new Error(objects.why);
    await controlPlane.apply(...objects.value.map(({ body }) => JSON.stringify(body)));
  });
  afterAll(() => controlPlane.stop());

  const found = async () => [await rbacCheck(site), await fencesCheck(site)];

  it("measures how the API server answers", async () => {
    expect(await apiServerCheck(site)).toMatchObject({
      kind: "known",
      value: { well: expect.stringMatching(/^answers in \d+ ms$/), problems: [] },
    });
  });

  it("finds the rights and the fences that a deployment applies", async () => {
    await expect.poll(found, { timeout: 30_000 }).toMatchObject([
      {
        kind: "known",
        value: {
          well: expect.stringMatching(/^the function has \d+ rights, verb by verb$/),
          problems: [],
        },
      },
      { kind: "known", value: { problems: [] } },
    ]);
  });

  it("names the rights and the fence that somebody takes away, and a fence by hand that is older", async () => {
    const remove = (...what: readonly string[]) => controlPlane.kubectlText("delete", ...what);
    await remove("clusterrolebinding", "eks-node-lifecycle-force");
    await remove("validatingadmissionpolicybinding", "eks-node-lifecycle");
    const annotate = (what: string) =>
      controlPlane.kubectlText("annotate", "validatingadmissionpolicy/eks-node-lifecycle", what);
    await annotate(`${byHand}=0.0.1`);
    onTestFinished(() => annotate(`${byHand}-`).then(() => undefined));

    await expect.poll(found, { timeout: 30_000 }).toMatchObject([
      { value: { problems: [{ found: "the function may not delete pods" }] } },
      {
        value: {
          problems: [
            { found: expect.stringContaining("applied by hand from version 0.0.1") },
            { found: expect.stringContaining("is not there") },
          ],
        },
      },
    ]);
  });
});
