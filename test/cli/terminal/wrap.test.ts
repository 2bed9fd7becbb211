import { describe, expect, it } from "vitest";
import { wrapped } from "../../../cli/terminal/wrap.ts";

describe("a text on a narrow terminal", () => {
  it("breaks between words", () => {
    expect(wrapped("a budget allows no disruption", 11)).toEqual([
      "a budget",
      "allows no",
      "disruption",
    ]);
  });

  it("breaks a word that is too long after a sign", () => {
    expect(wrapped("held: kube-system/coredns-5947f47f5f-t4f89", 18)).toEqual([
      "held:",
      "kube-system/",
      "coredns-",
      "5947f47f5f-t4f89",
    ]);
  });

  it("breaks a word without such a sign where the line ends", () => {
    expect(wrapped("0123456789", 4)).toEqual(["0123", "4567", "89"]);
  });

  it.each([[0], [29], [Number.POSITIVE_INFINITY]])("stays whole where it fits: %s more", (more) => {
    expect(wrapped("a budget allows no disruption", 29 + more)).toHaveLength(1);
  });
});
