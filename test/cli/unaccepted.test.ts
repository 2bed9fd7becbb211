import { expect, it } from "vitest";
import { main } from "../../cli/main.ts";
import { capturedIo } from "./captured-io.ts";
import { aSite } from "./connect/a-site.ts";

it.each([
  [401, ["plan", "demo"], "access entry"],
  [401, ["status", "demo"], "access entry"],
  [401, ["drain", "node-1", "--cluster", "demo"], "access entry"],
  [403, ["plan", "demo"], "ask for the right"],
])(
  "to whom the API server answers %i, %j says what they can do, and not the function",
  async (status, argv, words) => {
    const { cluster } = await aSite();
    cluster.failNext({ plural: "nodes" }, { status }, { times: 20 });
    const io = capturedIo();

    expect(await main(argv, io)).toBe(1);

    expect(io.out() + io.err()).toContain(words);
    expect(io.out() + io.err()).not.toContain("function's");
  },
);
