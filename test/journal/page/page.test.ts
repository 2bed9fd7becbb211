import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { drainsOf } from "../../../journal/drains.ts";
import { tryReadLogLine } from "../../../journal/log-line-schema.ts";
import { pageOf } from "../../../journal/page/page.ts";
import { pictureOf } from "../../../journal/picture.ts";
import { hours, type Instant, later, never, seconds } from "../../../lambda/base/time.ts";
import { begin, drainLog } from "../../cli/timeline/drain-log.ts";

const drainsIn = (pod: string) => {
  const lines = drainLog({ number: 7, from: begin, pod, end: "none" });
  return drainsOf(lines.flatMap((line) => tryReadLogLine(line) ?? [])).map(pictureOf);
};

const pageWith = (pod: string) =>
  pageOf({ title: `Work on ${pod}`, source: pod, drains: drainsIn(pod) });

const tagsOf = (page: string) => (page.match(/<[a-z]+/g) ?? []).toSorted();

describe("a page", () => {
  it.each([
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    `a" onfocus="alert(1)" autofocus tabindex="1`,
    "a' b` &lt;b&gt; <!-- ",
    "</title><svg/onload=alert(1)>",
  ])("has the same elements whatever a pod is called: %s", (pod) => {
    const page = pageWith(pod);

    expect(tagsOf(page)).toEqual(tagsOf(pageWith("shop/web")));
    expect(page).not.toContain(pod);
  });

  it("makes characters visible that turn or hide a text", () => {
    const page = pageWith("shop/\u202egnp.evil\u2066\u200b");

    expect(page).not.toMatch(/[\u202e\u2066\u200b]/);
    expect(page).toContain("shop/\\u202egnp.evil");
  });

  it("lets its own style and script through, and nothing else", () => {
    const page = pageWith("shop/web");
    const [, policy = ""] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const [, style = ""] = /<style>([\s\S]*)<\/style>/.exec(page) ?? [];
    const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(page) ?? [];
    const hashOf = (text: string) =>
      `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

    expect(policy).toBe(
      `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`,
    );
  });

  it("refers to nothing outside itself", () => {
    expect(pageWith("shop/web")).not.toMatch(/https?:|\/\/|\bsrc=|@import|url\((?!#)|\shref=/);
  });

  it("gives each bar a name that says why a pod waited, for how long and since when", () => {
    expect(pageWith("shop/checkout")).toContain(
      'aria-label="shop/checkout; 0.0 s to 3 min 30 s (09:14:05 UTC): on the node: budget shop/checkout allows 0 disruptions, 3 of 3 are healthy; 1.5 s to 3 min 30 s (09:14:06 UTC): held by shop/checkout, 3 healthy of 3 desired, 0 allowed"',
    );
  });

  it("draws the deadline where it is near, and nowhere else", () => {
    const line = '<line class="deadline" x1="100.00%"';
    const drawn = (deadline: Instant) =>
      pageOf({
        title: "",
        source: "",
        drains: drainsIn("shop/web").map((one) => ({ ...one, deadline })),
      });

    expect(drawn(later(begin, seconds(220))).split(line).length).toBeGreaterThan(8);
    expect(drawn(later(begin, hours(2)))).not.toContain(line);
    expect(drawn(never)).not.toContain(line);
  });

  it("tells the first twelve reasons of a bar, and how many more there are", () => {
    const [picture] = drainsIn("shop/web");
    const marks = Array.from({ length: 15 }, (_, index) => ({
      kind: "heartbeat" as const,
      at: later(begin, seconds(index)),
      reason: `beat ${index}`,
    }));
    const rows = picture?.rows.slice(0, 1).map((row) => ({ ...row, marks })) ?? [];
    const drains = picture === undefined ? [] : [{ ...picture, rows }];

    const page = pageOf({ title: "", source: "", drains });

    expect(page).toMatch(/aria-label="[^"]*beat 11; and 3 more"/);
  });

  it("shows that there is nothing to show", () => {
    expect(pageOf({ title: "Nothing", source: "", drains: [] })).toContain("0 drains");
  });
});
