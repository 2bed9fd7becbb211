import { describe, it } from "vitest";
import { bundles, saysWhatIsMissing } from "./a-bundle.ts";

describe.each(bundles)("the bundle of the %s function", (name, said) => {
  it("fails without what it works with, at each invocation, and says what is missing", async () => {
    await saysWhatIsMissing(name, said);
  });
});
