import { build } from "esbuild";
import { afterEach, describe, expect, it } from "vitest";
import { clientNodeFolder, typesOf } from "../../bundle/client-node.ts";
import { trimClasses } from "../../bundle/generated-classes.ts";
import { missingOperations } from "../../bundle/missing-operations.ts";
import { trimSerializer } from "../../bundle/plugins/kubernetes-models.ts";
import { withLiteralKeys } from "../../bundle/plugins/literal-keys.ts";
import { trimmedFile } from "../../bundle/plugins/trimmed-file.ts";
import { projectRoot } from "../../bundle/project-root.ts";
import { reachableModels } from "../../bundle/reachable-models.ts";
import { type TemporaryProject, temporaryProject } from "./temporary-project.ts";

const projects: TemporaryProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

const source = `import { shared } from './shared.js';
import { OneFactory, OneProcessor } from "../apis/One.js";
import { TwoFactory, TwoProcessor } from "../apis/Two.js";
export class ObjectOneApi {
    constructor(configuration) {
        this.api = new OneFactory(configuration, OneProcessor);
    }
    /**
     * reads
     */
    async readOne(param = {}, options) {
        if (param) {
            return shared(param);
        }
    }
    readOneWithHttpInfo(param, options) {
        return this.api.readOneWithHttpInfo(param);
    }
    listOne(param, options) {
        return this.api.listOne(param);
    }
}
export class ObjectTwoApi extends Base {
    readTwo(param) {
        return new TwoFactory(TwoProcessor);
    }
}
`;

describe("the classes of client-node", () => {
  it("lose every method that is not listed, and unlisted classes lose all", () => {
    const trimmed = trimClasses(source, { ObjectOneApi: ["readOne"] });
    expect(trimmed).toContain("return shared(param);");
    expect(trimmed).toContain("this.api = new OneFactory(configuration, OneProcessor);");
    expect(trimmed).toContain("export class ObjectTwoApi {}\n");
    expect(trimmed).not.toMatch(/readOneWithHttpInfo|listOne|readTwo|TwoFactory|Two\.js/);
    expect(trimmed).toContain("import { shared } from './shared.js';");
  });

  it("fail the build when one is not there", () => {
    expect(() => trimClasses(source, { ObjectThreeApi: [] })).toThrow(
      "client-node has no class ObjectThreeApi",
    );
  });

  it("fail the build when a method is not there", () => {
    expect(() => trimClasses(source, { ObjectOneApi: ["readOne", "readTwo"] })).toThrow(
      "class ObjectOneApi of client-node has no method readTwo",
    );
  });

  it("fail the build when they are written in another form", () => {
    const reformatted = source.replaceAll("    ", "  ");
    expect(() => trimClasses(reformatted, { ObjectOneApi: ["readOne"] })).toThrow(
      "no method readOne",
    );
  });
});

describe("the types of operations", () => {
  it("are those that are serialised and deserialised", () => {
    const text = `
      x.set("a", ObjectSerializer.serialize(a, "string", "")); ObjectSerializer.stringify(
        ObjectSerializer.serialize(body, "V1Pod", ""), contentType);
      const b = ObjectSerializer.deserialize(ObjectSerializer.parse(await r.text(), t), "Array<V1Node>", "");
    `;
    expect(typesOf(text)).toEqual(["string", "V1Pod", "Array<V1Node>"]);
  });

  it("fail the build when they cannot be read", () => {
    expect(() => typesOf("ObjectSerializer.serialize(body, type, '')")).toThrow(
      "cannot read which",
    );
  });
});

const model = (name: string, ...types: readonly string[]): string =>
  [
    `${name}.mapping = 1;`,
    `${name}.discriminator = undefined;`,
    ...types.map((type) => `        "type": "${type}",`),
    "",
  ].join("\n");

describe("the models that values can contain", () => {
  const models: Readonly<Record<string, string>> = {
    V1A: model("V1A", "string", "Array<V1B>", "Date", "IntOrString"),
    V1B: model("V1B", "{ [key: string]: Array<V1C>; }", "V1A"),
    V1C: model("V1C", "V1D | null"),
    V1D: model("V1D", "any"),
    V1E: model("V1E"),
    V1Odd: "\nV1Odd.discriminator = 'kind';\n",
    V1Lost: model("V1Lost", "V1Nowhere"),
  };
  const reached = (...types: readonly string[]) =>
    [...reachableModels(types, (name) => models[name])].sort();

  it("are found in lists, maps, optionals and circles", () => {
    expect(reached("V1A")).toEqual(["V1A", "V1B", "V1C", "V1D"]);
    expect(reached("Array<V1E>", "string")).toEqual(["V1E"]);
  });

  it("fail the build when one is not there", () => {
    expect(() => reached("V1Lost")).toThrow("client-node has no model V1Nowhere");
  });

  it("fail the build when one stands for several", () => {
    expect(() => reached("V1Odd")).toThrow("model V1Odd of client-node has a discriminator");
  });

  it("are what the serialiser is left with", () => {
    const lines = [
      "export * from '../models/V1A.js';",
      "export * from '../models/V1B.js';",
      "import { V1A } from '../models/V1A.js';",
      "import { V1B } from '../models/V1B.js';",
      "let typeMap = {",
      '    "V1A": V1A,',
      '    "V1B": V1B,',
      "};",
    ];
    expect(trimSerializer(lines.join("\n"), new Set(["V1A"])).split("\n")).toEqual(
      lines.filter((line) => !line.includes("V1B")),
    );
    expect(() => trimSerializer(lines.slice(0, 6).join("\n"), new Set(["V1B"]))).toThrow(
      "client-node's ObjectSerializer does not know V1B",
    );
  });
});

describe("the schemas of AWS", () => {
  it("get literal keys", () => {
    const text =
      'const _xN = "xmlName";\nconst _a = "b";\nexport var A = [0, { [_xN]: _a }, [_a, _xN]];\n';
    expect(withLiteralKeys(text)).toBe(text.replace("[_xN]:", '"xmlName":'));
  });

  it("fail the build when a key is something else", () => {
    expect(() => withLiteralKeys("export var A = { [_xN]: 1 };")).toThrow(
      "key _xN that is no text",
    );
  });
});

describe("the operations that a function uses", () => {
  const missing = (text: string) =>
    missingOperations([{ path: "lambda/x.ts", text }], source, { OneApi: ["readOne"] });
  const told = (name: string) => [
    `lambda/x.ts uses ${name} of client-node: list it in bundle/operations.ts`,
  ];

  it.each([
    ["api.listOne({})", "listOne"],
    ["api\n  .listOne({})", "listOne"],
    ["api?.listOne<string>({})", "listOne"],
    ["(await api).readTwo()", "readTwo"],
    ['import { TwoApi } from "@kubernetes/client-node";', "TwoApi"],
    ['import type { A, TwoApi } from "@kubernetes/client-node";', "TwoApi"],
    ['import {\n  type TwoApi,\n} from "@kubernetes/client-node";', "TwoApi"],
  ])("are missing in %j", (text, name) => {
    expect(missing(text)).toEqual(told(name));
  });

  it.each([
    "api.readOne({}); api.readOneWithHttpInfo({})",
    'import { OneApi } from "@kubernetes/client-node";',
    "listOne(); names.listOnes(); port.list()",
    'import { TwoApi } from "./two.ts";',
  ])("are all there in %j", (text) => {
    expect(missing(text)).toEqual([]);
  });
});

describe("a trimmed file of client-node", () => {
  const bundled = (contents: string) => {
    const project = temporaryProject({});
    projects.push(project);
    const folder = clientNodeFolder(projectRoot);
    return build({
      stdin: { contents, resolveDir: project.root },
      bundle: true,
      write: false,
      metafile: true,
      platform: "node",
      logLevel: "silent",
      plugins: [
        { name: "t", setup: (api) => trimmedFile(api, folder, ["gen/gone.js", (text) => text]) },
      ],
    });
  };

  it("fails the build when client-node is used and does not read it", async () => {
    await expect(bundled('import "@kubernetes/client-node/dist/gen/index.js";')).rejects.toThrow(
      "client-node no longer reads its gen/gone.js",
    );
  });

  it("does not matter to a function without client-node", async () => {
    await expect(bundled("export const a = 1;")).resolves.toBeDefined();
  });
});
