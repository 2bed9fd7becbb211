import { expect, it } from "vitest";
import { aDoctorSite, examined } from "./doctor-site.ts";

it("says that all is well of a stack as it is deployed", async () => {
  await aDoctorSite();

  const told = await examined();
  console.error(JSON.stringify(told.links, null, 1));

  expect(told).toMatchObject({ code: 0, broken: [], unknown: [] });
});
