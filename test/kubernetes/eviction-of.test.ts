import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Fault } from "../../lambda/base/fault.ts";
import { seconds } from "../../lambda/base/time.ts";
import type { Eviction } from "../../lambda/drain/eviction.ts";
import { evictionOf } from "../../lambda/kubernetes/pod-evictions.ts";
import type { RefusedAnswer } from "../../lambda/kubernetes/refused-request.ts";

interface RealAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string;
}

const path = new URL("../sandbox/kube-answers/real-answers.json", import.meta.url);
const real = JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, RealAnswer>>;

/** How the adapter reads an answer that a real API server gave. */
function ofReal(title: string): Eviction {
  const answer = real[title];
  if (answer === undefined) throw new Error(`no real answer to: ${title}`);
  const { status: code, body, retryAfter = "" } = answer;
  return evictionOf("evicting demo/web-1", { code, body, retryAfter });
}

const status = (message: string, more: object = {}): string =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message, ...more });

const evictionBy = (code: number, body = "", retryAfter = ""): Eviction =>
  evictionOf("evicting demo/web-1", { code, body, retryAfter } satisfies RefusedAnswer);

const throttled = "Too many requests, please try again later.";
const budgetCause = {
  reason: "DisruptionBudget",
  message: "The disruption budget web-pdb is behind",
};
const denial = 'admission webhook "guard.example.com" denied the request: ';

describe("what a real API server answers to an eviction", () => {
  it.each<[string, Eviction]>([
    ["an eviction of nothing", { kind: "gone" }],
    ["an eviction in a namespace that is not there", { kind: "gone" }],
    [
      "an eviction that a budget forbids",
      {
        kind: "blocked",
        message: "The disruption budget alone needs 1 healthy pods and has 1 currently",
        retryAfter: "unsaid",
      },
    ],
    [
      "an eviction under a budget that nobody has looked at",
      {
        kind: "blocked",
        message: "The disruption budget alone is still being processed by the server.",
        retryAfter: seconds(10),
      },
    ],
    [
      "an eviction under two budgets",
      {
        kind: "overlapping-budgets",
        message:
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      },
    ],
    [
      "an eviction in a namespace that ends",
      {
        kind: "namespace-terminating",
        message:
          'pods "last" is forbidden: unable to create new content in namespace ending because it is being terminated',
      },
    ],
  ])("%s", (title, eviction) => {
    expect(ofReal(title)).toEqual(eviction);
  });

  it.each([
    "an eviction of another UID",
    "an eviction of a waiting pod of another UID",
    "an eviction of another UID under a budget",
  ])("%s is a conflict, which says nothing certain about the pod", (title) => {
    expect(ofReal(title)).toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("Operation cannot be fulfilled on Pod"),
    });
  });

  it("an eviction under another name is our own fault, with its code", () => {
    expect(() => ofReal("an eviction under another name")).toThrow(
      /^cluster\.refused: evicting demo\/web-1: HTTP 400 /,
    );
  });

  it("a role that may not evict is a fault, raised at once", () => {
    const evict = () => ofReal("a forbidden eviction");
    expect(evict).toThrow(Fault);
    expect(evict).toThrow(
      /^cluster\.forbidden: evicting demo\/web-1: pods "x" is forbidden: .*cannot create resource "pods\/eviction"/,
    );
  });
});

describe("a conflict", () => {
  it("over the status of a budget counts as one too", () => {
    const details = { name: "web-pdb", group: "policy", kind: "poddisruptionbudgets" };
    expect(evictionBy(409, status("the object has been modified", { details })).kind).toBe(
      "conflict",
    );
  });
});

describe("a 429", () => {
  it("from throttling does not come from a budget: it has no cause, but mostly a time", () => {
    expect(evictionBy(429, throttled, "1")).toEqual({
      kind: "throttled",
      message: throttled,
      retryAfter: seconds(1),
    });
    expect(evictionBy(429, `${throttled}\n`)).toEqual({
      kind: "throttled",
      message: throttled,
      retryAfter: "unsaid",
    });
  });

  it("from a server that shuts down is throttling", () => {
    const message = "The apiserver is shutting down, please try again later.";
    expect(evictionBy(429, message, "5")).toEqual({
      kind: "throttled",
      message,
      retryAfter: seconds(5),
    });
  });

  it("is throttling if none of its causes is a budget", () => {
    const causes = [{ reason: "FieldValueInvalid", message: "DisruptionBudget" }, {}];
    const body = status("DisruptionBudget", { details: { causes, retryAfterSeconds: 7 } });
    expect(evictionBy(429, body)).toMatchObject({ kind: "throttled", retryAfter: seconds(7) });
  });

  it("comes from a budget if a budget is among its causes", () => {
    const body = status("no", { details: { causes: [{ reason: "Other" }, budgetCause] } });
    expect(evictionBy(429, body)).toMatchObject({
      kind: "blocked",
      message: budgetCause.message,
    });
  });

  it("from a budget that gives no reason has the message of the answer", () => {
    const causes = [{ reason: "DisruptionBudget" }];
    expect(evictionBy(429, status("no", { details: { causes } }))).toMatchObject({
      kind: "blocked",
      message: "no",
    });
  });

  it("from a webhook delays that pod, not the drain", () => {
    expect(evictionBy(429, status(`${denial}wait`), "5")).toEqual({
      kind: "denied",
      message: `${denial}wait`,
    });
  });
});

describe("a 422", () => {
  it("from a ValidatingAdmissionPolicy is a denial, about this pod alone", () => {
    const message =
      "pods \"web-1\" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'keep' denied request: none goes";
    expect(evictionBy(422, status(message))).toEqual({ kind: "denied", message });
  });
});

describe("a 403", () => {
  it.each<[string, string]>([
    ["by its cause", status("no", { details: { causes: [budgetCause] } })],
    ["by its kind", status(budgetCause.message, { details: { kind: "poddisruptionbudgets" } })],
    [
      "by its kind alone",
      status(budgetCause.message, { details: { kind: "PodDisruptionBudget" } }),
    ],
  ])(
    "from a budget whose controller is behind, %s, is blocked and tried again in 10 s",
    (_, body) => {
      expect(evictionBy(403, body)).toEqual({
        kind: "blocked",
        message: budgetCause.message,
        retryAfter: seconds(10),
      });
    },
  );

  it.each([`${denial}cannot create resource "pods/eviction"`, "pods is forbidden: quota"])(
    "from anything else is a denial: %s",
    (message) => {
      expect(evictionBy(403, status(message))).toEqual({ kind: "denied", message });
    },
  );

  it("because the function may not delete pods is a fault", () => {
    const message = 'pods "web-1" is forbidden: User "x" cannot delete resource "pods"';
    expect(() => evictionBy(403, status(message))).toThrow(/^cluster\.forbidden: .*cannot delete/);
  });

  it.each(["poddisruptionbudgets.example.com", "mypoddisruptionbudgets"])(
    "about another kind of object does not come from a budget: %s",
    (kind) => {
      expect(evictionBy(403, status("no", { details: { kind } })).kind).toBe("denied");
    },
  );
});

describe("a server that fails", () => {
  it.each([500, 502, 503, 504])("with HTTP %d may or may not have evicted the pod", (code) => {
    expect(evictionBy(code, status("etcd"))).toEqual({
      kind: "unclear",
      message: `HTTP ${code} etcd`,
      retryAfter: "unsaid",
    });
  });

  it.each([500, 503, 504])("with HTTP %d and a time to retry means this pod", (code) => {
    const unclear = { kind: "unclear", message: `HTTP ${code} busy`, retryAfter: seconds(17) };
    expect(evictionBy(code, status("busy"), "17")).toEqual(unclear);
    const details = { retryAfterSeconds: 17 };
    expect(evictionBy(code, status("busy", { details }))).toEqual(unclear);
  });

  it("does not make the eviction unclear if the budgets are to blame", () => {
    expect(evictionBy(500, status("more than one PodDisruptionBudget"), "5").kind).toBe(
      "overlapping-budgets",
    );
  });

  it.each([400, 422])("is not the cause of HTTP %d: that is our own fault", (code) => {
    expect(() => evictionBy(code, status("no"))).toThrow(
      `cluster.refused: evicting demo/web-1: HTTP ${code} no`,
    );
  });

  it.each([405, 410, 499])("is not the cause of HTTP %d: that is a denial", (code) => {
    expect(evictionBy(code, status("no"))).toEqual({ kind: "denied", message: `HTTP ${code} no` });
  });

  it("is not the cause if a webhook denied the eviction", () => {
    expect(evictionBy(500, status(`${denial}no`)).kind).toBe("denied");
    expect(evictionBy(404, status(`${denial}no`)).kind).toBe("denied");
    expect(evictionBy(422, status(`${denial}no`)).kind).toBe("denied");
    expect(evictionBy(500, status('failed calling webhook "guard"')).kind).toBe("unclear");
    expect(evictionBy(500, status(`after ${denial}no`)).kind).toBe("unclear");
  });
});

describe("the time until the next eviction", () => {
  const retryAfter = (header: string, said: unknown = undefined) => {
    const details = { causes: [budgetCause], retryAfterSeconds: said };
    const eviction = evictionBy(429, status("no", { details }), header);
    return eviction.kind === "blocked" ? eviction.retryAfter : eviction.kind;
  };

  it.each<[string, unknown, number | "unsaid"]>([
    ["", undefined, "unsaid"],
    ["", 0, "unsaid"],
    ["", -5, "unsaid"],
    ["", "10", "unsaid"],
    ["0", 0, "unsaid"],
    ["10", undefined, 10_000],
    ["", 10, 10_000],
    ["10", 20, 20_000],
    ["20", 10, 20_000],
    ["99999", 0, 99_999_000],
    ["100000", 0, "unsaid"],
    ["-1", 0, "unsaid"],
    ["1.5", 0, "unsaid"],
    ["5 s", 0, "unsaid"],
    ["Wed, 21 Oct 2026 07:28:00 GMT", 0, "unsaid"],
  ])("with header %j and body %j is %j", (header, said, expected) => {
    expect(retryAfter(header, said)).toBe(expected);
  });
});
