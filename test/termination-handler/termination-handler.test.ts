import { describe, it } from "vitest";
import { scenarios } from "./scenarios.ts";
import { VirtualSite } from "./virtual-site.ts";

describe("what Node Termination Handler's end-to-end tests show is shown in virtual time:", () => {
  it.each(Object.entries(scenarios))("%s", async (_, { run, ...given }) => {
    await run(new VirtualSite(given));
  });
});
