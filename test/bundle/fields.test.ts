import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildFunctions } from "../../bundle/build-functions.ts";
import { trimModel } from "../../bundle/fields.ts";
import { projectRoot } from "../../bundle/project-root.ts";
import { anyObject } from "./any-object.ts";
import { modelsRead, readObject } from "./read-object.ts";
import { type TemporaryProject, temporaryProject } from "./temporary-project.ts";

describe("the fields of client-node's models that are deployed", () => {
  let project: TemporaryProject;
  let readTrimmed: typeof readObject;

  beforeAll(async () => {
    const source = readFileSync(join(import.meta.dirname, "read-object.ts"), "utf8");
    const placed = source.replaceAll('"../../lambda/', `"${projectRoot}/lambda/`);
    const entry = `${placed}\nexport { readObject as handler };\n`;
    project = temporaryProject({ "lambda/read-handler.ts": entry });
    const [bundle] = await buildFunctions({ root: project.root });
    readTrimmed = createRequire(import.meta.url)(bundle?.file ?? "").handler;
  });
  afterAll(() => project.remove());

  it.each(modelsRead)("are all that the domain learns of a %s", (model) => {
    fc.assert(
      fc.property(anyObject(model), (object) => {
        const text = JSON.stringify(object);
        expect(readTrimmed(model, text)).toEqual(readObject(model, text));
      }),
    );
  });

  it("fail the build when a model does not have one", () => {
    const source =
      'A.attributeTypeMap = [\n    {\n        "name": "a",\n        "type": "b"\n    }\n];\n';
    expect(trimModel("A", source, { A: [] })).toBe("A.attributeTypeMap = [\n];\n");
    expect(trimModel("A", source, { B: [] })).toBe(source);
    expect(() => trimModel("A", source, { A: ["a", "b"] })).toThrow(
      "model A of client-node has no field b",
    );
  });
});
