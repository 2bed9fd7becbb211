import { isDeepStrictEqual } from "node:util";
import { CoreV1Api, type V1ConfigMap } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { awsAuthEdit } from "../../lambda/launch/aws-auth/edit.ts";
import * as shape from "../../lambda/launch/aws-auth/shape.ts";
import { mappingJson, mappingLines } from "../../lambda/launch/aws-auth/text.ts";
import { nodeMapping, type RoleMapping } from "../../lambda/launch/node-mapping.ts";
import { ifThere } from "../contract/if-there.ts";
import { arnOf, corpus, roleOf } from "../launch/aws-auth/corpus.ts";
import { type Draw, drawFrom, oneOf } from "../launch/aws-auth/draw.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { fenceIn } from "./fences.ts";
import { asTheFunction, place } from "./function-identity.ts";
import { MapRoles } from "./map-roles.ts";
import { isAppended } from "./reader-differences.ts";

const is = (form: string, text: string): boolean => new RegExp(form).test(text);

function formOf(before: string): "json" | "lines" | "none" | "nothing" {
  if (is(shape.strange, before)) return "none";
  if (is(shape.nothing, before)) return "nothing";
  if (is(shape.json, before)) return "json";
  const indent = indentOf(before).length;
  const isEnded = indent > 0 && is(`\n {0,${indent - 1}}[^ #\\r\\n]`, `\n${before}`);
  const isLines = is(`^(?:${shape.line}\\r?\\n)*$`, `${before}\n`);
  return is(shape.start, before) && isLines && !isEnded ? "lines" : "none";
}

const indentOf = (before: string): string => {
  const [first = ""] = new RegExp(shape.start).exec(before) ?? [];
  return /\n( *)-$/.exec(`\n${first}`)?.[1] ?? "";
};

/** All that the fence around `aws-auth` lets the function write instead of a text; a test compares it with the fence itself. */
function fenceModel(before: string, allowed: readonly RoleMapping[]): (now: string) => boolean {
  const mappings = allowed.filter(({ role }) => !is(shape.naming(role), before.toLowerCase()));
  const texts = mappings.flatMap((mapping) => textsWith(mapping, before));
  const all = new Set([before, ...texts.filter(({ length }) => length > before.length)]);
  return (now) => all.has(now);
}

function textsWith(mapping: RoleMapping, before: string): readonly string[] {
  const form = formOf(before);
  if (form === "none") return [];
  if (form === "json") {
    const head = before.replace(/[ \t\r\n]*\][ \r\n]*$/, "");
    return [`${head}, ${mappingJson(mapping)}${before.slice(head.length)}`];
  }
  const head = form === "nothing" ? "" : before;
  return ["\n", "\r\n"].map((ending) => {
    const lines = [...mappingLines(mapping, indentOf(head)), ""].join(ending);
    const isEnded = head === "" || head.endsWith("\n");
    return head + (isEnded ? "" : (/\r\n/.exec(head + lines)?.[0] ?? "\n")) + lines;
  });
}

// How many insertions into each document are sent to the API server, and at how many places of each, besides its end, all
// insertions are judged by the model.
const { AWS_AUTH_INSERTIONS: most = "8", AWS_AUTH_PLACES: mostPlaces = "12" } = process.env;
const seed = inject("seed");

// The roles of nodes: a new one, the beginning of another's name, and an administrator's.
const nodeRoles = ["node", "eks", "admin"].map(roleOf);
const mappings = nodeRoles.flatMap((role) => [
  nodeMapping(role, "linux"),
  nodeMapping(role, "windows"),
]);

const administrators = `- rolearn: ${arnOf("eks-admin")}
  username: admin
  groups: [system:masters]
- rolearn: ${arnOf("x")}
  username: x
  groups: [eks-admins-readonly]
`;
const inBraces = [
  `{rolearn: ${arnOf("eks-admin")}, username: admin, groups: [system:masters]}`,
  `{rolearn: ${arnOf("x")}, username: x, groups: [eks-admins-readonly]}`,
];

/** Documents of every style, most of which are those of the corpus. */
const documents: readonly string[] = [
  administrators,
  `# - rolearn: x\n${administrators.trimEnd()} # why`,
  `- ${inBraces.join("\n- ")}\n`,
  `[${inBraces.join(", ")}]`,
  ...corpus.map(({ mapRoles }) => mapRoles).filter((text) => text.length < 1000),
];

/** What may be inserted: an entry in each shape, with and without what separates it. */
function shapesOf(mapping: RoleMapping): readonly string[] {
  const json = mappingJson(mapping);
  const lines = ["", "  ", "    "].map((indent) => mappingLines(mapping, indent).join("\n"));
  const blocks = lines.flatMap((one) => [`${one}\n`, `\n${one}`, `\n${one}\n`]);
  const windows = blocks.map((one) => one.replaceAll("\n", "\r\n"));
  return [...blocks, ...windows, json, `, ${json}`, `${json}, `];
}

// Groups for somebody's list, which the function once added.
const groups = [
  ', "system:nodes", ',
  '"system:nodes", ',
  ', "system:nodes"',
  "- system:nodes\n",
  "  - system:nodes\n",
  "\n  - system:nodes",
  "\n    - system:nodes\n",
];
const insertions = [...mappings.flatMap(shapesOf), ...groups];

const insertedAt = (before: string, at: number): readonly string[] =>
  insertions.map((text) => before.slice(0, at) + text + before.slice(at));

/** A text with another character at a place. */
const alteredAt = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === "x" ? "y" : "x") + text.slice(at + 1);

/** Some places of a text, and all at its end. */
function placesIn({ length }: string, draw: Draw): readonly number[] {
  const all = Array.from({ length: length + 1 }, (_, at) => at);
  if (length < Number(mostPlaces)) return all;
  return [...all.slice(-8), ...Array.from({ length: Number(mostPlaces) }, () => draw(length))];
}

/** What the function itself makes of a text. */
const editsOf = (before: string): readonly string[] =>
  mappings.flatMap((mapping) => {
    const edit = awsAuthEdit(before, mapping);
    return edit.kind === "edited" ? [edit.text] : [];
  });

let controlPlane: ControlPlane;
let authenticator: MapRoles;
const core = () => controlPlane.api(CoreV1Api);

beforeAll(async () => {
  authenticator = await MapRoles.start();
  controlPlane = await startControlPlane({ nodes: [] });
  await fenceIn(controlPlane, { nodeRoles });
});
afterAll(async () => {
  authenticator.stop();
  await controlPlane.stop();
});

/** Those of some texts that the fence lets the function write instead of another. */
async function acceptedOf(before: string, texts: readonly string[]): Promise<readonly string[]> {
  await ifThere(core().deleteNamespacedConfigMap(place));
  const body: V1ConfigMap = { metadata: place, data: { mapRoles: before } };
  const made = await core().createNamespacedConfigMap({ ...place, body });
  const answers = texts.map((mapRoles) => {
    const sent = { ...place, dryRun: "All", body: { ...made, data: { mapRoles } } };
    return core()
      .replaceNamespacedConfigMap(sent, asTheFunction)
      .then(() => true, isRefusal);
  });
  const isAccepted = await Promise.all(answers);
  return texts.filter((_, at) => isAccepted[at]);
}

/** No is what the fence has said; anything else fails the test. */
function isRefusal(cause: unknown): false {
  expect(String(cause)).toMatch(/eks-node-lifecycle (?:appends|maps) /);
  return false;
}

/** The texts that change anybody but one new node. */
async function harmsOf(before: string, texts: readonly string[]): Promise<readonly string[]> {
  const [was, ...answers] = await authenticator.read([before, ...texts]);
  return texts.filter((_, at) => {
    const now = answers[at];
    if (was === undefined || now === undefined) return true;
    // Nobody can read it before and after, or what comes after the end of JSON is ignored.
    if (isDeepStrictEqual(was, now)) return false;
    return !mappings.some((mapping) => isAppended({ before: was, after: now }, mapping));
  });
}

const chosenOf = (before: string, draw: Draw): readonly string[] =>
  Array.from({ length: Number(most) }, () =>
    oneOf(draw, insertedAt(before, draw(before.length + 1))),
  );

it(`lets through of any insertions what its model lets through (seed ${seed})`, async () => {
  const draw = drawFrom(seed);
  for (const before of documents) {
    const ends = insertedAt(before, before.length).slice(0, 9);
    const altered = editsOf(before).map((text) => alteredAt(text, draw(text.length)));
    const texts = [...editsOf(before), ...altered, ...ends, ...chosenOf(before, draw)];
    const accepted = await acceptedOf(before, texts);
    expect(accepted, before).toEqual(texts.filter(fenceModel(before, mappings)));
    expect(accepted).toEqual(expect.arrayContaining([...editsOf(before)]));
  }
}, 1_800_000);

it("lets through no insertion anywhere that changes anybody but one new node, up to three in a row", async () => {
  const draw = drawFrom(seed);
  let accepts = 0;
  let bases = documents;
  for (const _ of ["first", "second", "third"]) {
    const next = new Set<string>();
    for (const before of bases) {
      const isAllowed = fenceModel(before, mappings);
      const all = placesIn(before, draw).flatMap((at) => insertedAt(before, at));
      const accepted = [...new Set([...all, ...editsOf(before)])].filter(isAllowed);
      expect(await harmsOf(before, accepted)).toEqual([]);
      accepts += accepted.length;
      for (const text of accepted.slice(0, 2)) next.add(text);
    }
    bases = [...next];
  }
  expect(accepts).toBeGreaterThan(documents.length);
}, 1_800_000);
