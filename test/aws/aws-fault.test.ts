import { describe, expect, it } from "vitest";
import { awsFault, isAwsError } from "../../lambda/aws/aws-fault.ts";
import { Fault } from "../../lambda/base/fault.ts";

/** An error as the SDK throws it. */
function thrown(name: string, status?: unknown, message = "no"): Error {
  const error = new Error(message);
  error.name = name;
  return Object.assign(
    error,
    status === undefined ? {} : { $metadata: { httpStatusCode: status } },
  );
}

const codeOf = (cause: unknown) => awsFault("reading group workers", cause).code;

describe("an AWS call that failed", () => {
  it("without credentials says that none were found", () => {
    const cause = thrown("CredentialsProviderError", undefined, "Could not load credentials");
    expect(awsFault("discovering cluster demo", cause).message).toBe(
      "aws.denied: discovering cluster demo: no credentials were found: Could not load credentials",
    );
  });

  it.each([
    ["AccessDenied", 403],
    ["AccessDeniedException", 400],
    ["UnauthorizedOperation", 403],
    ["UnrecognizedClientException", 400],
    ["InvalidClientTokenId", 403],
    ["ExpiredToken", 403],
    ["ExpiredTokenException", 400],
    ["SignatureDoesNotMatch", 403],
    ["AuthFailure", 401],
    ["OptInRequired", 403],
    ["AccessDenied", 503],
    ["AccessDenied", undefined],
    ["InvalidSignatureException", 400],
    ["IncompleteSignature", 400],
    ["MissingAuthenticationTokenException", 400],
    ["InvalidAccessKeyId", 400],
    ["RequestExpired", 400],
    ["SomethingElse", 403],
    ["SomethingElse", 401],
  ])("with %s (HTTP %s) was denied", (name, status) => {
    expect(codeOf(thrown(name, status))).toBe("aws.denied");
  });

  it.each([
    ["ECONNREFUSED", undefined],
    ["TimeoutError", undefined],
    ["InternalServerError", 500],
    ["ServiceUnavailable", 503],
    ["SomethingElse", 500],
    ["SomethingElse", 429],
    ["Throttling", 400],
    ["ThrottlingException", 400],
    ["RequestLimitExceeded", 400],
    ["TooManyRequestsException", 400],
    ["ResourceContention", 400],
    ["RequestTimeout", 400],
    ["ServiceUnavailableException", 400],
    ["InternalFailure", 400],
    ["InternalError", 400],
    ["Throttling", 403],
    ["NotImplemented", 501],
  ])("with %s (HTTP %s) may succeed later", (name, status) => {
    expect(codeOf(thrown(name, status))).toBe("aws.unreachable");
  });

  it.each([
    ["ValidationError", 400],
    ["ResourceNotFoundException", 404],
    ["SomethingElse", 499],
    ["SomethingElse", 428],
  ])("with %s (HTTP %s) was refused", (name, status) => {
    expect(codeOf(thrown(name, status))).toBe("aws.refused");
  });

  it.each([
    [
      "no JSON",
      thrown("SyntaxError", 200, "Unexpected token '<'\n  Deserialization error: to see"),
    ],
    ["no XML", thrown("Error", 407, "Unexpected token '<'\n  Deserialization error: to see")],
    ["no error's code", thrown("Unknown", 403, "Unexpected token '<'")],
  ])("that was answered with %s was answered by something else than AWS", (_, cause) => {
    const status = Object(cause).$metadata.httpStatusCode;
    expect(awsFault("reading group workers", cause).message).toBe(
      `aws.unreachable: reading group workers: HTTP ${status} with an answer that AWS does not give: Unexpected token '<'`,
    );
  });

  it.each([
    ["Unknown", 403],
    ["NotFound", 404],
  ])("that was answered without any words, as %s, tells none", (name, status) => {
    expect(awsFault("reading", thrown(name, status, "Unknown")).message).toBe(
      `aws.unreachable: reading: HTTP ${status} with an answer that AWS does not give`,
    );
  });

  it("by a fault is that fault", () => {
    const fault = new Fault("cluster.refused", "reading: no");
    expect(awsFault("reading group workers", fault)).toBe(fault);
  });

  it.each([
    ["a text", "broken"],
    ["nothing", undefined],
    ["no status", Object.assign(new Error("no"), { $metadata: {} })],
    ["no number for a status", thrown("Error", "400")],
    ["metadata that is none", Object.assign(new Error("no"), { $metadata: null })],
    ["metadata that is a text", Object.assign(new Error("no"), { $metadata: "500" })],
  ])("that threw %s counts as unanswered", (_, cause) => {
    expect(codeOf(cause)).toBe("aws.unreachable");
  });

  it("that threw something other than an error is reported with its text", () => {
    expect(awsFault("reading", "broken").message).toBe("aws.unreachable: reading: Unknown: broken");
  });
});

describe("an AWS error", () => {
  const cause = thrown("ValidationError", 400, "No active Lifecycle Action found with token x");

  it("is recognised by both its name and its message", () => {
    expect(isAwsError(cause, /^ValidationError$/, /No active Lifecycle Action/)).toBe(true);
    expect(isAwsError(cause, /^Throttling$/, /No active Lifecycle Action/)).toBe(false);
    expect(isAwsError(cause, /^ValidationError$/, /not found/)).toBe(false);
    expect(isAwsError("ValidationError", /^ValidationError$/, /./)).toBe(false);
  });

  it("is none if something else than AWS has answered", () => {
    expect(isAwsError(thrown("NotFound", 404, "Unknown"), /NotFound/, /./)).toBe(false);
    expect(isAwsError(thrown("NotFound", 404), /NotFound/, /./)).toBe(true);
  });
});
