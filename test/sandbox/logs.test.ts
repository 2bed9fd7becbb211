import { FilterLogEventsCommand, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { describe, expect, it } from "vitest";
import { later, seconds } from "../../lambda/base/time.ts";
import { aServedAccount, start } from "./aws-account.ts";

const logGroupName = "/aws/lambda/drainer";

describe("CloudWatch Logs", () => {
  it("finds the lines with a term, in their order and with their times", async () => {
    const { aws, logs, timeline } = await aServedAccount();
    aws.logs.write(logGroupName, "i-1 began");
    timeline.pass(seconds(5));
    aws.logs.write(logGroupName, "i-2 began");
    aws.logs.write(logGroupName, "i-1 ended");

    const { events = [] } = await logs.send(
      new FilterLogEventsCommand({ logGroupName, filterPattern: '"i-1"' }),
    );

    expect(events).toMatchObject([
      { message: "i-1 began", timestamp: start },
      { message: "i-1 ended", timestamp: later(start, seconds(5)) },
    ]);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(2);
  });

  it("finds the lines of JSON in which a field has one of some values", async () => {
    const { aws, logs } = await aServedAccount();
    const lines = ['{"kind":"fault"}', '{"kind":"heartbeat"}', '{"kind":"pod-gone"}', "fault"];
    for (const line of lines) aws.logs.write(logGroupName, line);

    const filterPattern = '{ $.kind = "fault" || $.kind = "heartbeat" }';
    const { events = [] } = await logs.send(
      new FilterLogEventsCommand({ logGroupName, filterPattern }),
    );

    expect(events.map(({ message }) => message)).toEqual(lines.slice(0, 2));
    await expect(
      logs.send(new FilterLogEventsCommand({ logGroupName, filterPattern: "{ $.kind > 1 }" })),
    ).rejects.toThrow("Invalid filter pattern");
  });

  it("searches page by page, and a page may be empty", async () => {
    const { aws, logs } = await aServedAccount();
    for (let line = 0; line < 150; line += 1) aws.logs.write(logGroupName, `i-2 ${line}`);
    aws.logs.write(logGroupName, "i-1 began");

    const pages = paginateFilterLogEvents(
      { client: logs },
      { logGroupName, filterPattern: '"i-1"' },
    );

    const counts: number[] = [];
    for await (const { events = [] } of pages) counts.push(events.length);
    expect(counts).toEqual([0, 1]);
  });

  it("leaves out what is older, and refuses a group that is not there", async () => {
    const { aws, logs } = await aServedAccount();
    aws.logs.write(logGroupName, "i-1 began");

    const startTime = later(start, seconds(1));
    const none = await logs.send(new FilterLogEventsCommand({ logGroupName, startTime }));
    expect(none.events).toEqual([]);
    await expect(
      logs.send(new FilterLogEventsCommand({ logGroupName: "/aws/lambda/other" })),
    ).rejects.toThrow("The specified log group does not exist.");
  });
});
