import { describe, expect, it } from "vitest";
import { LogGroupSearch } from "../../lambda/aws/journal-search.ts";
import { nodeName } from "../../lambda/base/ids.ts";
import {
  between,
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import type { Outcome } from "../../lambda/notice/outcome.ts";
import type { Entry } from "../../lambda/registrations/entry.ts";
import { tryReadJournalLine } from "../../lambda/webhook/journal-line.ts";
import type { News } from "../../lambda/webhook/news.ts";
import { NewsTeller } from "../../lambda/webhook/news-teller.flow.ts";
import { aServedAccount, start } from "../sandbox/aws-account.ts";
import { done, drained, entry, evicted, held, instance, seen, token } from "./entries.ts";

const group = "/journal";

/** A journal in CloudWatch, and processes that tell its news; a process forgets what others know. */
async function aJournal() {
  const { aws, logs, timeline } = await aServedAccount();
  aws.logs.create(group);
  const told: News["kind"][] = [];
  const texts: string[] = [];
  const recorded: object[] = [];
  const failing = { kind: "start", times: 0 };
  const clock = {
    now: () => timeline.now(),
    async sleep(until: Instant) {
      if (until > timeline.now()) timeline.pass(between(timeline.now(), until));
    },
  };
  const aProcess = () =>
    new NewsTeller({
      search: new LogGroupSearch(logs, group),
      clock,
      journal: { record: (one) => recorded.push(one) },
      read: tryReadJournalLine,
      async deliver({ kind, text }) {
        if (failing.kind === kind && failing.times-- > 0) throw new Error("not now");
        told.push(kind);
        texts.push(text);
      },
    });
  return {
    ...{ aws, logs, told, texts, recorded, failing, aProcess, timeline },
    /** Writes entries, and returns their lines. */
    write: (...entries: readonly Entry[]) =>
      entries.map((one) => {
        const at = timestamp(timeline.now());
        const line = JSON.stringify({ ...entry(one), at });
        aws.logs.write(group, `${line}\n`);
        return line;
      }),
  };
}

describe("the news of a journal", () => {
  it("are told once, though each pass writes its lines and another process hears them", async () => {
    const { write, told, texts, aProcess, timeline } = await aJournal();
    for (let pass = 0; pass < 4; pass += 1) {
      await aProcess().tell(write(seen, held(), held("shop/db")));
      timeline.pass(minutes(29));
    }
    await aProcess().tell(write(evicted, done(drained)));
    expect(told).toEqual(["start", "block", "end"]);
    expect(texts.at(-1)).toContain("(drained, after 1 h 56 min; 1 pod evicted, 0 deleted)");
  });

  it("are told once, though a process hears of the second budget before the search finds the first", async () => {
    const { write, told, aProcess, aws } = await aJournal();
    const teller = aProcess();
    await teller.tell(write(seen));
    const [first, second] = [write(held()), write(held("shop/db"))];
    await Promise.all([aProcess().tell(first), aProcess().tell(second)]);
    expect(told).toEqual(["start", "block"]);
    expect(aws.calls.of("FilterLogEvents").length).toBeGreaterThan(0);
  });

  it("are told when their own line comes, though the search finds it before", async () => {
    const { write, told, aProcess } = await aJournal();
    const teller = aProcess();
    const [first = "", second = "", third = ""] = write(seen, held(), held("shop/db"));
    await teller.tell([first]);
    await teller.tell([third]);
    expect(told).toEqual(["start"]);
    await teller.tell([second]);
    expect(told).toEqual(["start", "block"]);
  });

  it("are told by a process that hears the same lines again only once", async () => {
    const { write, told, aProcess } = await aJournal();
    const teller = aProcess();
    const lines = write(seen, held());
    await teller.tell(lines);
    await teller.tell(lines);
    expect(told).toEqual(["start", "block"]);
  });

  it("are told twice where another process hears the same lines again: nobody keeps a list", async () => {
    const { write, told, aProcess } = await aJournal();
    const lines = write(seen);
    await aProcess().tell(lines);
    await aProcess().tell(lines);
    expect(told).toEqual(["start", "start"]);
  });

  it("begin anew in the same process after an end, and with another token", async () => {
    const { write, told, aProcess, timeline } = await aJournal();
    const teller = aProcess();
    await teller.tell(write(seen, done({ kind: "kept", left: [] })));
    await teller.tell(write(seen));
    const other = { ...entry(seen, milliseconds(timeline.now() - start), token(2)) };
    await teller.tell([JSON.stringify({ ...other, at: timestamp(other.at) })]);
    expect(told).toEqual(["start", "end", "start", "start"]);
  });

  it("begin anew without a token, after an end that a notice with a token has brought", async () => {
    const { aws, write, told, aProcess, timeline } = await aJournal();
    const teller = aProcess();
    const withoutToken = () => {
      timeline.pass(seconds(9));
      const { token: _, ...other } = entry(seen);
      const line = JSON.stringify({ ...other, at: timestamp(timeline.now()) });
      aws.logs.write(group, line);
      return [line];
    };
    await teller.tell(withoutToken());
    await teller.tell(write(done({ kind: "kept", left: [] })));
    await teller.tell(withoutToken());
    expect(told).toEqual(["start", "end", "start"]);
  });

  it("wait until a search finds lines of their age, but not for a clock that is ahead", async () => {
    const { told, aProcess, timeline } = await aJournal();
    for (const at of ["2026-03-23T10:00:00Z", "2027-01-01T00:00:00Z"])
      await aProcess().tell([JSON.stringify({ ...entry(seen), at })]);
    expect(between(start, timeline.now())).toBe(seconds(10));
    expect(told).toEqual(["start", "start"]);
  });

  it("are in the order of their time, whatever the search finds first", async () => {
    const { aws, told, aProcess } = await aJournal();
    const lineAt = (what: Entry, at: number) => {
      const dated = entry(what, seconds(at));
      return JSON.stringify({ ...dated, at: timestamp(dated.at) });
    };
    aws.logs.write(group, lineAt(seen, 0));
    aws.logs.write(group, lineAt(held("shop/db"), 2));
    await aProcess().tell([lineAt(held(), 1)]);
    expect(told).toEqual(["block"]);
  });

  it("are not those of another instance whose lines name this one", async () => {
    const { aws, logs, told, aProcess, write } = await aJournal();
    const other = { ...entry(seen), instance: "i-00000000000000009", messageId: instance };
    aws.logs.write(group, JSON.stringify({ ...other, at: "2026-03-23T10:00:00Z" }));
    aws.logs.write(group, "a line of nobody");
    await aProcess().tell(write(seen));
    expect(told).toEqual(["start"]);
    const hour = { from: start, to: later(start, hours(1)) };
    expect(await new LogGroupSearch(logs, group).linesOf([instance], hour)).toHaveLength(1);
  });

  it("cost a few searches, however many instances a batch is about", async () => {
    const { told, aProcess, aws, timeline } = await aJournal();
    const at = timestamp(timeline.now());
    const lines = Array.from({ length: 100 }, (_, index) =>
      JSON.stringify({ ...entry(seen), at, instance: `i-${String(index).padStart(17, "0")}` }),
    );
    for (const line of lines) aws.logs.write(group, line);
    await aProcess().tell(lines);
    expect(told).toHaveLength(100);
    // Five requests for twenty instances each, about this hour and the one before.
    expect(aws.calls.of("FilterLogEvents")).toHaveLength(10);
  });

  it("cost one search where the last hour shows that a line is no news, however long the drain is", async () => {
    const { write, aProcess, aws, timeline } = await aJournal();
    for (let pass = 0; pass < 10; pass += 1) {
      write(seen, held());
      timeline.pass(minutes(29));
    }
    await aProcess().tell(write(seen));
    expect(aws.calls.of("FilterLogEvents")).toHaveLength(1);
  });

  it("are told of an end though the drain could not write for longer than the last hour", async () => {
    const { write, told, aws, aProcess, timeline } = await aJournal();
    const [started = ""] = write(seen);
    timeline.pass(minutes(70));
    aws.logs.write(group, JSON.stringify({ kind: "fault", instance }));
    await aProcess().tell(write(done(drained)));
    expect([started, ...told]).toEqual([started, "end"]);
  });

  it.each<Outcome>([
    { kind: "ignored", reason: "the instance runs" },
    { kind: "cordoned", node: nodeName("node-1") },
  ])(
    "go on when another notice of the instance is done without a drain: $kind",
    async (outcome) => {
      const { write, told, aProcess, timeline } = await aJournal();
      const teller = aProcess();
      for (const what of [seen, done(outcome), seen, done(drained)]) {
        await teller.tell(write(what));
        timeline.pass(seconds(9));
      }
      expect(told).toEqual(["start", "end"]);
    },
  );

  it("of a budget wait until it has held pods for some seconds", async () => {
    const { write, told, aProcess, timeline } = await aJournal();
    const began = timeline.now();
    await aProcess().tell(write(seen, held()));
    expect(told).toEqual(["start", "block"]);
    expect(between(began, timeline.now())).toBe(seconds(25));
  });

  it("cost no search where a process knows that the lines are old", async () => {
    const { write, aProcess, aws } = await aJournal();
    const teller = aProcess();
    await teller.tell(write(seen, held()));
    const before = aws.calls.of("FilterLogEvents").length;
    await teller.tell(write(seen, held()));
    expect(aws.calls.of("FilterLogEvents")).toHaveLength(before);
  });

  it("that could not be delivered are delivered with the next try, and no others", async () => {
    const { write, told, recorded, failing, aProcess } = await aJournal();
    const teller = aProcess();
    const lines = write(seen, held());
    Object.assign(failing, { kind: "block", times: 1 });
    await expect(teller.tell(lines)).rejects.toThrow("not now");
    expect(recorded).toMatchObject([{ kind: "fault", instance, group: "workers" }]);
    expect(Object.keys(Object(recorded[0]))).toContain("token");
    await teller.tell(lines);
    expect(told).toEqual(["start", "block"]);
  });

  it("leave out lines that are no entries, and fields that an older version has not written", async () => {
    const { told, aProcess, aws } = await aJournal();
    const older = { ...entry(seen), deadline: undefined, critical: undefined };
    const garbage = ["", "START RequestId", "{", "null", "[1]", '{"kind":"pods-seen"}'];
    for (const text of garbage) aws.logs.write(group, `${text} ${instance}`);
    await aProcess().tell([...garbage, JSON.stringify({ ...older, at: "2026-03-23T10:00:00Z" })]);
    expect(told).toEqual(["start"]);
  });

  it("are a fault while the journal cannot be searched", async () => {
    const { write, told, aProcess, aws } = await aJournal();
    aws.authorize = () => "denied";
    await expect(aProcess().tell(write(seen))).rejects.toThrow("aws.denied: searching");
    expect(told).toEqual([]);
  });
});
