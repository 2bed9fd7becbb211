import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { aSite } from "../connect/a-site.ts";
import { capturedIo } from "../captured-io.ts";

describe("try", () => {
  it("runs", async () => {
    await aSite();
    for (const argv of [["plan", "demo"], ["plan", "--cluster", "demo", "ip-192-168-18-230.eu-west-1.compute.internal"], ["plan", "--cluster", "demo", "ip-192-168-18-230.eu-west-1.compute.internal", "--json"], ["plan", "--cluster", "demo", "nix"], ["plan"], ["plan", "--help"]]) {
      const io = capturedIo();
      const code = await main(argv, io);
      process.stderr.write(`${argv.join(" ")} => ${code}\n${io.out()}${io.err()}\n`);
    }
    expect(1).toBe(1);
  });
});
