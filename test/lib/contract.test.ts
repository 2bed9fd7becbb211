import { describe, expect, it } from "vitest";
import { environment, functionTimeoutSeconds, trust } from "../../lambda/base/contract.ts";
import { parseConfig } from "../../lambda/config/config.ts";
import { textOf } from "../../lambda/config/form.ts";
import { readSettings } from "../../lambda/config/form-reader.ts";
import type { Setting } from "../../lambda/config/setting.ts";
import { nodeSettings } from "../../lambda/config/settings.ts";
import type { ClusterConfig } from "../../lib/cluster-file/cluster-config-schema.ts";
import { fieldName } from "../../lib/cluster-file/field-name.ts";
import { readClusterConfig } from "../../lib/cluster-file/read-cluster-config.ts";
import { samplesOf } from "../config/setting-samples.ts";
import { resolved } from "./resolved.ts";
import { resourcesOf, sample, synthesised } from "./synthesised.ts";

const region = { AWS_REGION: sample.cluster.region };

/** The environment of the node function, as it will be once CloudFormation has filled it in. */
function environmentOf(change: Partial<ClusterConfig> = {}): Readonly<Record<string, string>> {
  const resources = resourcesOf(synthesised(change));
  const functions = Object.entries(resources).filter(
    ([id, { Type }]) => Type === "AWS::Lambda::Function" && /NodeFunction/.test(id),
  );
  expect(functions).toHaveLength(1);
  const { Environment } = functions[0]?.[1].Properties ?? {};
  const { Variables } = Environment as { Variables: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(Variables).map(([key, value]) => [key, resolved(value)]),
  );
}

describe("the environment that the stack gives the function", () => {
  it("is one that the function reads without a fault", () => {
    const config = parseConfig({ ...environmentOf(), ...region });
    expect(config).toMatchObject({
      clusterName: "sample",
      region: "eu-west-1",
      drain: { managed: ["workers"] },
    });
    expect(config.queueUrl).not.toBe(config.deadLetterQueueUrl);
  });

  it("has no key that the function does not read, and leaves defaults to it", () => {
    const known = [...Object.values(environment), ...Object.values(trust)];
    expect(new Set(Object.keys(environmentOf()))).toEqual(new Set(known));
  });

  it("names what the hooks notify: the topic, and the queue", () => {
    const { hookTargets } = parseConfig({ ...environmentOf(), ...region });
    const [topic, queue] = hookTargets;
    expect(hookTargets).toHaveLength(2);
    for (const { Properties } of Object.values(resourcesOf(synthesised())).filter(
      ({ Type }) => Type === "AWS::AutoScaling::LifecycleHook",
    ))
      expect(resolved(Properties["NotificationTargetARN"])).toBe(topic);
    expect(queue).toMatch(/\.Arn$/);
  });

  it.each(["drain", "launch", "events", "hooks", "reports"] as const)(
    "says all that a cluster's file can say in %s",
    (group) => {
      const rows = Object.entries<Setting>(nodeSettings[group]).map(([name, row]) => {
        // A node that nobody removes is not tainted either, so this setting has another value than its last.
        const at = name === "removeNode" ? 0 : -1;
        const { plain, value } = samplesOf(row).at(at) ?? { plain: "", value: "" };
        return { name, field: fieldName(name, row.form), key: row.key, plain, value };
      });
      const said = Object.fromEntries(rows.map(({ field, plain }) => [field, plain]));
      // The stack can let in nodes only by roles that it knows.
      const nodeRoleArns = ["arn:aws:iam::123456789012:role/node"];
      const changed = { [group]: { ...sample[group], ...said } };
      const file = JSON.stringify({ ...sample, nodeRoleArns, ...changed });
      const variables = environmentOf(readClusterConfig(file, "sample.json"));

      expect(variables).toMatchObject(
        Object.fromEntries(rows.map(({ key, plain }) => [key, textOf(plain)])),
      );
      expect(readSettings(nodeSettings[group], variables)).toEqual(
        Object.fromEntries(rows.map(({ name, value }) => [name, value])),
      );
      expect(() => parseConfig({ ...variables, ...region })).not.toThrow();
    },
  );

  it("comes with the timeout that the function counts on", () => {
    synthesised().hasResourceProperties("AWS::Lambda::Function", {
      Description: "Drains and registers nodes of cluster sample",
      Timeout: functionTimeoutSeconds,
    });
  });
});
