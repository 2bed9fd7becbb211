import { describe, expect, it } from "vitest";
import { NewsDelivery } from "../../lambda/webhook/news-delivery.flow.ts";

const instance = "i-07e9ea9eb19a67337";
const token = "11111111-a1a5-46ad-82d8-8e31911276a3";

/** A line of the journal with news of a drain. */
const line = (news: "block" | "end" | "start", more: object = {}): string =>
  JSON.stringify({
    kind: "drain-news",
    at: "2026-03-23T10:00:00Z",
    news,
    tone: "good",
    node: "node-1",
    since: "2026-03-23T10:00:00Z",
    text: "",
    advice: "",
    instance,
    group: "workers",
    token,
    ...more,
  });

/** A process of the function, whose webhook does not take the first messages of a kind. */
function aProcess(failing = { kind: "", times: 0 }) {
  const [delivered, recorded]: [string[], object[]] = [[], []];
  const delivery = new NewsDelivery({
    journal: { record: (entry) => recorded.push(entry) },
    async deliver({ news }) {
      if (failing.kind === news && failing.times-- > 0) throw new Error("not now");
      delivered.push(news);
    },
  });
  return { delivery, delivered, recorded };
}

describe("the news in lines of the journal", () => {
  it("are delivered in their order, once by a process that gets the same lines again", async () => {
    const { delivery, delivered } = aProcess();
    const lines = [line("start"), line("block"), line("end")];
    await delivery.deliver(lines);
    await delivery.deliver(lines);
    expect(delivered).toEqual(["start", "block", "end"]);
  });

  it("that could not be delivered are with the next try, and no others; a fault says of what", async () => {
    const { delivery, delivered, recorded } = aProcess({ kind: "block", times: 1 });
    const lines = [line("start"), line("block"), line("end")];
    await expect(delivery.deliver(lines)).rejects.toThrow("not now");
    expect(recorded).toMatchObject([{ kind: "fault", instance, group: "workers", token }]);
    await delivery.deliver(lines);
    expect(delivered).toEqual(["start", "end", "block"]);
  });

  it("are not in lines that are none, and may be of no single instance", async () => {
    const { delivery, delivered } = aProcess();
    const garbage = ["", "START RequestId", "{", "null", "[1]", '{"kind":"drain-news"}'];
    const other = [line("start", { kind: "notice-done" }), line("end", { tone: "sad" })];
    const of = { instance: undefined, group: undefined, token: undefined };
    await delivery.deliver([...garbage, ...other, line("block", of)]);
    expect(delivered).toEqual(["block"]);
  });
});
