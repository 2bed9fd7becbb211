import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { awsAuthEdit } from "../../lambda/domain/aws-auth/edit.ts";
import { nodeMapping } from "../../lambda/domain/launch/node-mapping.ts";
import { readable, roleOf } from "../domain/aws-auth/corpus.ts";
import { type Draw, drawFrom, onceIn } from "../domain/aws-auth/draw.ts";
import { nastyAwsAuth } from "../domain/aws-auth/nasty-aws-auth.ts";
import { MapRoles } from "./map-roles.ts";
import { compareReaders, isKeptByEdit } from "./reader-differences.ts";

const { AWS_AUTH_DOCUMENTS: documents = "5000" } = process.env;
const seed = inject("seed");
const batch = 500;

function wantedFor(draw: Draw) {
  return nodeMapping(roleOf("node"), onceIn(draw, 2) ? "linux" : "windows");
}

let authenticator: MapRoles;

beforeAll(async () => {
  authenticator = await MapRoles.start();
});
afterAll(() => authenticator.stop());

/** Edits texts, and compares how the function and the authenticator read them before and after. */
async function compare(texts: readonly string[], draw: Draw) {
  const edits = texts.map((text) => {
    const wanted = wantedFor(draw);
    return { text, wanted, edit: awsAuthEdit(text, wanted) };
  });
  const before = await authenticator.read(texts);
  const after = await authenticator.read(
    edits.map(({ text, edit }) => (edit.kind === "edited" ? edit.text : text)),
  );
  return edits.map(({ text, wanted, edit }, at) => {
    const [was, is] = [before[at], after[at]];
    if (was === undefined || is === undefined) throw new Error(`no answer to ${text}`);
    const read = compareReaders(text, was);
    const isKept = isKeptByEdit(edit, { before: was, after: is }, wanted);
    return { text, edit, read, isKept, isList: Array.isArray(was.json) };
  });
}

it(`reads and edits ${documents} random texts as the authenticator reads them, or refuses them (seed ${seed})`, async () => {
  const draw = drawFrom(seed);
  let [done, refusedLists] = [0, 0];
  while (done < Number(documents)) {
    const texts = Array.from({ length: batch }, () => nastyAwsAuth(draw));
    const compared = await compare(texts, draw);
    expect(compared.filter(({ read }) => read === "differently")).toEqual([]);
    expect(compared.filter(({ isKept }) => !isKept)).toEqual([]);
    refusedLists += compared.filter(({ read, isList }) => read === "refused" && isList).length;
    done += batch;
  }
  // Most of these are lists with a directive, a tag or a key that is no text.
  expect(refusedLists / done).toBeLessThan(0.06);
}, 3_600_000);

it("refuses no text of the corpus, and reads each as the authenticator does", async () => {
  const texts = readable.map(({ mapRoles }) => mapRoles);
  const compared = await compare(texts, drawFrom(1));

  expect(compared.filter(({ edit }) => edit.kind === "unreadable")).toEqual([]);
  expect(compared.filter(({ read, isKept }) => read === "differently" || !isKept)).toEqual([]);
});
