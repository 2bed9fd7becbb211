import { describe, expect, it } from "vitest";
import { nodeName, podUid } from "../../lambda/base/ids.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { newsOf } from "../../lambda/webhook/drain-news.ts";
import type { OfInstance } from "../../lambda/webhook/news.ts";
import { done, drained, entry, evicted, held, instance, seen, token } from "./entries.ts";

const newsIn = (...entries: readonly OfInstance[]) =>
  newsOf(instance, entries).map(({ news }) => news);
const kindsIn = (...entries: readonly OfInstance[]) => newsIn(...entries).map(({ kind }) => kind);

describe("the news of a drain", () => {
  it("are its start, its first block and its end, in the words of the Events", () => {
    const news = newsIn(
      entry(seen),
      entry(evicted, seconds(1)),
      entry(held(), seconds(2)),
      entry(done(drained), minutes(3)),
    );
    expect(news).toMatchObject([
      {
        ...{ kind: "start", tone: "good", instance, group: "workers", node: "node-1", advice: "" },
        text: `instance ${instance} (drain): 2 pods have to leave by 2026-03-23T10:15:00.000Z, 1 stays`,
      },
      {
        ...{ kind: "block", tone: "warning", node: "node-1" },
        text: "budget shop/web (2 healthy of 2 desired, 0 disruptions allowed) holds 1 pod: shop/web-1",
        advice:
          "Repair the pods of budget shop/web, or let it allow a disruption before 2026-03-23T10:15:00.000Z: docs/runbook.md#a-drain-takes-long",
      },
      {
        ...{ kind: "end", tone: "good", node: "node-1", advice: "" },
        text: "no pod holds the node any more (drained, after 3 min; 1 pod evicted, 0 deleted)",
      },
    ]);
  });

  it("say at the end that the drain was late", () => {
    const late = { ...drained, late: "2026-03-23T10:20:00.000Z" };
    expect(newsIn(entry(seen), entry(done(late)))[1]?.text).toContain(
      "no pod holds the node any more; late: a pass began only at 2026-03-23T10:20:00.000Z (",
    );
  });

  it("say why the node is drained once it is marked", () => {
    const node = nodeName("node-1");
    const found = entry({ kind: "node-found", node, instance });
    const marked = entry({
      ...{ kind: "node-marked", node, labelled: "ours", cordoned: "ours" },
      ...{ reason: "maintenance", deadline: "" },
    });
    expect(newsIn(found, marked, entry(seen))).toMatchObject([
      { text: expect.stringContaining("(maintenance)") },
    ]);
  });

  it("are told once, however many passes and budgets there are", () => {
    const pass = [entry(seen), entry(held()), entry(held("shop/db"))];
    expect(kindsIn(...pass, ...pass, ...pass)).toEqual(["start", "block"]);
  });

  it("tell of a protected pod as a block", () => {
    const pods = [{ pod: "shop/web-1", uid: podUid(""), why: "protected by its annotation" }];
    const protects = entry({ kind: "pods-protected", node: nodeName("node-1"), pods });
    expect(newsIn(entry(seen), protects, entry(held()))).toMatchObject([
      { kind: "start" },
      { kind: "block", text: "1 pod is protected: shop/web-1", tone: "warning" },
    ]);
  });

  it("warn where the deadline came first, and say what was left", () => {
    const left = ["shop/web-1: held"];
    expect(newsIn(entry(seen), entry(done({ kind: "expired", left }))).at(-1)).toMatchObject({
      tone: "warning",
      text: expect.stringContaining("the deadline came first; left: shop/web-1: held"),
      advice: 'docs/runbook.md says under "Outcome expired" what to do',
    });
  });

  it("end once, whatever further notices of the instance find", () => {
    const gone = entry(done({ kind: "nothing-left" }));
    const whole = [entry(seen), entry(done(drained))];
    expect(kindsIn(...whole, entry(seen), gone, entry(done(drained)))).toEqual(["start", "end"]);
  });

  it("are calm where the instance is gone before its drain is over, and nobody has to do anything", () => {
    expect(newsIn(entry(seen), entry(done({ kind: "nothing-left" }), seconds(9)))).toMatchObject([
      { kind: "start" },
      { tone: "good", text: "(nothing-left, after 9 s; 0 pods evicted, 0 deleted)", advice: "" },
    ]);
  });

  it("leave out a budget that lets a pod go within some seconds, and not one that takes longer", () => {
    const { kind: _, owners: __, ...numbers } = held();
    const freed = (at: number, budget = "shop/web") =>
      entry({ kind: "pods-freed", ...numbers, budget }, seconds(at));
    const first = entry(held(), seconds(1));
    expect(kindsIn(entry(seen), first, freed(21))).toEqual(["start"]);
    expect(kindsIn(entry(seen), first, freed(22))).toEqual(["start", "block"]);
    expect(kindsIn(entry(seen), first, freed(9, "shop/db"))).toEqual(["start", "block"]);
    expect(kindsIn(entry(seen), first, freed(9), entry(held(), seconds(10)))).toEqual([
      ...["start", "block"],
    ]);
  });

  it("begin anew with another token, and after an end that lets the instance live on", () => {
    const whole = [entry(seen), entry(done(drained))];
    const kept = [entry(seen), entry(done({ kind: "kept", left: [] }))];
    const other = entry(seen, minutes(5), token(2));
    expect(kindsIn(...whole, other)).toEqual(["start", "end", "start"]);
    expect(kindsIn(...kept, ...whole)).toEqual(["start", "end", "start", "end"]);
  });

  it("of a notice without a hook belong to the drain that the hook's notice goes on with", () => {
    const { token: _, ...interrupted } = entry(seen);
    expect(kindsIn(interrupted, entry(seen), entry(held()), entry(done(drained)))).toEqual([
      ...["start", "block", "end"],
    ]);
  });

  it("are none where no drain began", () => {
    expect(kindsIn(entry(done({ kind: "ignored", reason: "foreign" })))).toEqual([]);
    expect(kindsIn(entry(held()))).toEqual([]);
  });
});
