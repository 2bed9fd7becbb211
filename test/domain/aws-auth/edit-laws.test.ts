import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awsAuthEdit } from "../../../lambda/domain/aws-auth/edit.ts";
import { nodeMapping, type RoleMapping } from "../../../lambda/domain/launch/node-mapping.ts";
import type { Platform } from "../../../lambda/domain/node/ec2-instance.ts";
import { propertyRuns } from "../../property-runs.ts";
import { anyAwsAuth } from "./any-aws-auth.ts";
import { authenticated } from "./authenticator.ts";
import { readable, roleOf } from "./corpus.ts";
import { brokenLaws } from "./laws.ts";

const linux = nodeMapping(roleOf("node"), "linux");
const textOf = (mapRoles: string, wanted: RoleMapping): string => {
  const edit = awsAuthEdit(mapRoles, wanted);
  return edit.kind === "edited" ? edit.text : edit.kind;
};

// The YAML reader asks the environment at every token. A copy of it answers soon; the real one takes a tenth of the time.
const { env } = process;
beforeAll(() => {
  process.env = { ...env };
});
afterAll(() => {
  process.env = env;
});

describe("an edit of any document", () => {
  const platform = fc.constantFrom<Platform>("linux", "windows");
  const name = fc.oneof(fc.constant("node"), fc.stringMatching(/^[\w+=,.@-]{1,64}$/));

  it("keeps the laws, and finds the document readable", () => {
    const keepsLaws = fc.property(anyAwsAuth, name, platform, (mapRoles, wantedName, on) => {
      const wanted = nodeMapping(roleOf(wantedName), on);
      const edit = awsAuthEdit(mapRoles, wanted);
      expect(edit.kind).not.toBe("unreadable");
      expect(brokenLaws(mapRoles, edit, wanted)).toEqual([]);
    });
    fc.assert(keepsLaws, { numRuns: propertyRuns(200) });
  }, 600_000);

  it("has the same result before and after another edit", () => {
    const commute = fc.property(anyAwsAuth, platform, platform, (mapRoles, one, other) => {
      const first = nodeMapping(roleOf("first"), one);
      const second = nodeMapping(roleOf("second"), other);
      const there = textOf(textOf(mapRoles, first), second);
      const back = textOf(textOf(mapRoles, second), first);
      expect(new Map([...authenticated(there)].toSorted())).toEqual(
        new Map([...authenticated(back)].toSorted()),
      );
    });
    fc.assert(commute, { numRuns: propertyRuns(50) });
  }, 600_000);

  it("keeps the laws or writes nothing, even if the document is any text at all", () => {
    const scrap = fc.constantFrom(
      ...readable.map(({ mapRoles }) => mapRoles).filter((it) => it.length < 5000),
    );
    const junk = fc.string({
      unit: fc.constantFrom(..."-:#[]{}&*!|>'\"%@,?\n\r\t a~\u2028\ufeff"),
    });
    const anything = fc
      .tuple(scrap, junk, fc.nat(400))
      .map(([text, cut, at]) => text.slice(0, at) + cut + text.slice(at));
    const keepsLaws = fc.property(anything, (mapRoles) => {
      const edit = awsAuthEdit(mapRoles, linux);
      expect(brokenLaws(mapRoles, edit, linux)).toEqual([]);
    });
    fc.assert(keepsLaws, { numRuns: propertyRuns(200) });
  }, 600_000);
});
