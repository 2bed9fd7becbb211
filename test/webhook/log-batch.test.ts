import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unpacked } from "../../lambda/process/unpacked.ts";
import { readLogBatch } from "../../lambda/webhook/log-batch.ts";

const packed = (content: string): object => ({
  awslogs: { data: gzipSync(content).toString("base64") },
});
const read = (event: unknown) => readLogBatch(event, unpacked);

describe("what a subscription of CloudWatch Logs brings", () => {
  it("is lines, without their ends", () => {
    const logEvents = [{ id: "1", timestamp: 1, message: '{"kind":"a"}\n' }, { message: "b" }];
    const batch = { messageType: "DATA_MESSAGE", owner: "123456789012", logEvents };
    expect(read(packed(JSON.stringify(batch)))).toEqual(['{"kind":"a"}', "b"]);
  });

  it.each<[string, unknown, string]>([
    ["no event of Logs", {}, "reading awslogs: expected an object, got nothing"],
    ["no gzip", { awslogs: { data: "hello" } }, "reading awslogs.data: expected gzip in base64"],
    ["no JSON", packed("hello"), "reading awslogs.data: expected JSON"],
    ["no lines", packed("{}"), "reading awslogs.data.logEvents: expected a list of lines"],
    ["too much", packed(" ".repeat(11_000_000)), "reading awslogs.data: expected gzip in base64"],
  ])("is refused where it is malformed: %s", (_, event, complaint) => {
    expect(() => read(event)).toThrow(complaint);
  });
});
