import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildFunctions } from "../../bundle/build-functions.ts";
import { clientNodeFolder, trimApi, typesOf } from "../../bundle/client-node.ts";
import { fieldsInUse } from "../../bundle/fields.ts";
import { operations } from "../../bundle/operations.ts";
import { projectRoot } from "../../bundle/project-root.ts";
import { fullExample } from "./full-example.ts";
import { takeStep } from "./take-step.ts";
import { type TemporaryProject, temporaryProject } from "./temporary-project.ts";

const clientNode = clientNodeFolder(projectRoot);
const inUse = Object.entries(operations).flatMap(([api, names]) =>
  names.map((operation) => ({ api, operation })),
);

/** The models that an operation sends or receives. */
function modelsOf(api: string, operation: string): readonly string[] {
  const source = readFileSync(join(clientNode, "gen/apis", `${api}.js`), "utf8");
  return [...new Set(typesOf(trimApi(source, api, [operation])))].filter((type) =>
    /V\d/.test(type),
  );
}

const params = { name: "a b", namespace: "n/s", fieldSelector: "spec.nodeName=x", limit: 5 };

describe("the trimmed client", () => {
  let project: TemporaryProject;
  let takeTrimmed: typeof takeStep;

  beforeAll(async () => {
    const source = readFileSync(join(import.meta.dirname, "take-step.ts"), "utf8");
    const entry = `${source}\nexport { takeStep as handler };\n`;
    project = temporaryProject({ "lambda/step-handler.ts": entry });
    const [bundle] = await buildFunctions({ root: project.root });
    takeTrimmed = createRequire(import.meta.url)(bundle?.file ?? "").handler;
  });
  afterAll(() => project.remove());

  it.each(inUse)("sends and reads $operation as the whole one does", async ({ api, operation }) => {
    const models = modelsOf(api, operation);
    expect(models).not.toEqual([]);
    for (const model of models) {
      const body = fullExample(model, fieldsInUse);
      const step = { api, operation, given: { ...params, body }, status: 200 };
      const whole = await takeStep({ ...step, answer: JSON.stringify(body) });
      expect(whole).toMatchObject({
        request: expect.anything(),
        outcome: { read: expect.anything() },
      });
      const answer = JSON.stringify(fullExample(model));
      await expect(takeTrimmed({ ...step, answer })).resolves.toEqual(whole);
    }
  });

  it.each(["V1ConfigMap", "V1Eviction", "V1DeleteOptions", "CoreV1Event"])(
    "passes over nothing of a %s that it writes, but managedFields",
    (model) => {
      const { metadata, ...rest } = Object(fullExample(model));
      const { managedFields: _managed, ...known } = metadata ?? {};
      const whole = metadata === undefined ? rest : { metadata: known, ...rest };
      expect(fullExample(model, fieldsInUse)).toEqual(whole);
    },
  );

  it.each([401, 403, 404, 409, 429, 500])(
    "reads a refusal with status %i as the whole one does",
    async (status) => {
      const answer = JSON.stringify(fullExample("V1Status"));
      for (const { api, operation } of inUse) {
        const step = { api, operation, given: { ...params, body: {} }, status, answer };
        await expect(takeTrimmed(step)).resolves.toStrictEqual(await takeStep(step));
      }
    },
  );

  it("reads times as times, however deeply nested", async () => {
    const answer = JSON.stringify(fullExample("V1PodDisruptionBudgetList"));
    const operation = "listNamespacedPodDisruptionBudget";
    const step = { api: "PolicyV1Api", operation, given: params, status: 200, answer };
    const { outcome } = await takeTrimmed(step);
    const time = new Date("2026-11-20T10:00:00Z");
    const status = { disruptedPods: { one: time }, conditions: [{ lastTransitionTime: time }, {}] };
    expect(outcome).toMatchObject({
      read: { items: [{ metadata: { deletionTimestamp: time }, status }, {}] },
    });
  });
});
