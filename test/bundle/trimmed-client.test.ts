import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildFunctions } from "../../bundle/build-functions.ts";
import { clientNodeFolder, trimApi, typesOf } from "../../bundle/client-node.ts";
import { operations } from "../../bundle/operations.ts";
import { fullExample } from "./full-example.ts";
import { takeStep } from "./take-step.ts";
import { projectRoot, type TemporaryProject, temporaryProject } from "./temporary-project.ts";

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
      const example = fullExample(model);
      const given = { ...params, body: example };
      const step = { api, operation, given, status: 200, answer: JSON.stringify(example) };
      const whole = await takeStep(step);
      expect(whole).toMatchObject({
        request: expect.anything(),
        outcome: { read: expect.anything() },
      });
      await expect(takeTrimmed(step)).resolves.toStrictEqual(whole);
    }
  });

  it.each([201, 202, 401, 403, 404, 409, 429, 500])(
    "reads a status of %i as the whole one does",
    async (status) => {
      const answer = JSON.stringify(fullExample("V1Status"));
      for (const { api, operation } of inUse) {
        const step = { api, operation, given: { ...params, body: {} }, status, answer };
        await expect(takeTrimmed(step)).resolves.toStrictEqual(await takeStep(step));
      }
    },
  );

  it("reads times as times, however deeply nested", async () => {
    const answer = JSON.stringify(fullExample("V1PodList"));
    const step = {
      api: "CoreV1Api",
      operation: "listPodForAllNamespaces",
      given: {},
      status: 200,
      answer,
    };
    const { outcome } = await takeTrimmed(step);
    const time = new Date("2026-11-20T10:00:00Z");
    expect(outcome).toMatchObject({
      read: {
        items: [
          {
            metadata: { deletionTimestamp: time },
            status: { containerStatuses: [{ state: { terminated: { finishedAt: time } } }, {}] },
          },
          {},
        ],
      },
    });
  });
});
