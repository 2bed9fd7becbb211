import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { awsAuthEdit } from "../../lambda/launch/aws-auth/edit.ts";
import { nodeMapping } from "../../lambda/launch/node-mapping.ts";
import { corpus, roleOf } from "../launch/aws-auth/corpus.ts";
import { type Draw, drawFrom, onceIn } from "../launch/aws-auth/draw.ts";
import { nastyAwsAuth } from "../launch/aws-auth/nasty-aws-auth.ts";
import { MapRoles } from "./map-roles.ts";
import { compareReaders, isTrue } from "./reader-differences.ts";

const { AWS_AUTH_DOCUMENTS: documents = "5000" } = process.env;
const seed = inject("seed");
const batch = 500;

let authenticator: MapRoles;

beforeAll(async () => {
  authenticator = await MapRoles.start();
});
afterAll(() => authenticator.stop());

/** Edits texts, and compares how the function and the authenticator read them before and after. */
async function compare(texts: readonly string[], draw: Draw) {
  const edits = texts.map((text) => {
    const wanted = nodeMapping(roleOf("node"), onceIn(draw, 2) ? "linux" : "windows");
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
    return { text, edit, read, isTrue: isTrue(edit, { before: was, after: is }, wanted) };
  });
}

it(`reads and edits ${documents} random texts as the authenticator reads them, or refuses them (seed ${seed})`, async () => {
  const draw = drawFrom(seed);
  const counted = { edited: 0, already: 0, taken: 0, lacking: 0, unreadable: 0 };
  for (let done = 0; done < Number(documents); done += batch) {
    const texts = Array.from({ length: batch }, () => nastyAwsAuth(draw));
    const compared = await compare(texts, draw);
    expect(compared.filter((one) => one.read === "differently" || !one.isTrue)).toEqual([]);
    for (const { edit } of compared) counted[edit.kind] += 1;
  }
  // Enough of them are understood for this to say something.
  expect(Math.min(...Object.values(counted))).toBeGreaterThan(Number(documents) / 1000);
}, 3_600_000);

it("reads each text of the corpus as the authenticator does, or refuses it", async () => {
  const compared = await compare(
    corpus.map(({ mapRoles }) => mapRoles),
    drawFrom(1),
  );

  expect(compared.filter((one) => one.read === "differently" || !one.isTrue)).toEqual([]);
});
