import { describe, it } from "vitest";
import { HandlerSite } from "./handler-site.ts";
import { scenarios } from "./scenarios.ts";

describe("what Node Termination Handler's end-to-end tests show is shown in virtual time:", () => {
  it.each(Object.entries(scenarios))("%s", async (_, { run, ...given }) => {
    await run(new HandlerSite(given));
  });
});
