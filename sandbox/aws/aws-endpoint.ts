import { randomUUID } from "node:crypto";
import type { AccessKey } from "./access-keys.ts";
import type { Aws } from "./aws.ts";
import { AwsError } from "./aws-error.ts";
import type { CallOutcome } from "./calls.ts";
import type { DueFault } from "./faults.ts";
import { type Caller, type CallPermission, type Operation, operationName } from "./operation.ts";
import { refuse } from "./refusals.ts";
import { serviceApis } from "./service-apis.ts";
import {
  judgeSignature,
  type SignatureClaim,
  type SignatureTrust,
  tryReadSignature,
} from "./signature-judge.ts";
import type { ServiceApi, WireAnswer, WireRequest } from "./wire.ts";

/** The strictness of the gate. */
export interface GateSettings {
  readonly signatures: SignatureTrust;
}

/** Lets a call through only if its signature is valid and its caller has permission. */
class Gate {
  readonly #aws: Aws;
  readonly #settings: GateSettings;

  constructor(aws: Aws, settings: GateSettings) {
    this.#aws = aws;
    this.#settings = settings;
  }

  /** Returns the key that signed a request, or refuses the request in the words of the service. */
  async identify(
    { signingName, codes }: ServiceApi,
    claim: SignatureClaim | undefined,
  ): Promise<AccessKey> {
    if (claim === undefined)
      throw refuse(codes, "unknown-key", "Request is missing Authentication Token");
    const { keys, timeline, account } = this.#aws;
    const verdict = await judgeSignature(claim, { keys, now: timeline.now(), ...this.#settings });
    if (verdict.kind === "refused") throw refuse(codes, verdict.refusal, verdict.message);
    const { service, region } = claim.scope;
    const scoped = (to: string) => `Credential should be scoped to ${to}.`;
    if (service !== signingName)
      throw refuse(codes, "mismatch", scoped(`correct service: '${signingName}'`));
    if (service !== "iam" && region !== account.region)
      throw refuse(codes, "mismatch", scoped(`a valid region, not '${region}'`));
    return verdict.key;
  }

  /** Refuses a caller that lacks any of the permissions a call needs. */
  permit(api: ServiceApi, permissions: readonly CallPermission[], principal: string): void {
    for (const permission of permissions) {
      if (this.#aws.authorize({ principal, ...permission }) === "allowed") continue;
      const { action, resource } = permission;
      const said = api.signingName === "sqs" ? action.toLowerCase() : action; // SQS: lower case
      const reason = `because no identity-based policy allows the ${said} action`;
      const message = `User: ${principal} is not authorized to perform: ${said} on resource: ${resource} ${reason}`;
      throw refuse(api.codes, "denied", message);
    }
  }
}

/** The answer to the caller: a response, a connection that hangs, or a reset. */
export type EndpointAnswer =
  | { readonly kind: "answer"; readonly answer: WireAnswer }
  | { readonly kind: "hang" }
  | { readonly kind: "reset" };

/** The content of a request to a service, and its signature. */
interface ServiceRequest {
  readonly api: ServiceApi;
  readonly asked: ReturnType<ServiceApi["protocol"]["read"]>;
  readonly claim: SignatureClaim | undefined;
}

/** A caller before its signature is judged. */
type Visitor = Omit<Caller, "principal" | "userId">;

interface Visit {
  readonly api: ServiceApi;
  readonly operation: Operation;
  readonly input: unknown;
  readonly caller: Caller;
}

type CallEffect =
  | { readonly kind: "lost"; readonly how: "hang" | "reset"; readonly effect: "none" | "taken" }
  | { readonly kind: "output"; readonly output: unknown };

/** Serves the requests to every service; a caller needs a valid signature and permission. */
export class AwsEndpoint {
  readonly #aws: Aws;
  readonly #gate: Gate;
  readonly #apis: readonly ServiceApi[];

  constructor(aws: Aws, settings: GateSettings) {
    this.#aws = aws;
    this.#gate = new Gate(aws, settings);
    this.#apis = serviceApis(aws);
  }

  /** Answers with the world's time: the SDK corrects its clock by it when AWS refuses the date of a signature. */
  async answer(request: WireRequest, visitor: Visitor): Promise<EndpointAnswer> {
    const answered = await this.#answer(request, visitor);
    if (answered.kind !== "answer") return answered;
    const date = new Date(this.#aws.timeline.now()).toUTCString();
    const { answer } = answered;
    return { kind: "answer", answer: { ...answer, headers: { ...answer.headers, date } } };
  }

  async #answer(request: WireRequest, visitor: Visitor): Promise<EndpointAnswer> {
    const api = this.#apis.find(({ protocol }) => protocol.claims(request));
    const requestId = randomUUID();
    if (api === undefined) return notFound(requestId);
    const asked = api.protocol.read(request, api.operations);
    const claim = tryReadSignature(request);
    const note = this.#note({ api, asked, claim }, request);
    try {
      const visit = await this.#admit({ api, asked, claim }, visitor);
      const done = await this.#act(visit);
      note.end(done.kind === "output" ? { kind: "answered" } : done);
      if (done.kind === "lost") return { kind: done.how };
      return answerOf(
        api.protocol.answer(visit.operation.schema, done.output, requestId),
        requestId,
      );
    } catch (error) {
      const refusal = error instanceof AwsError ? error : internal(error);
      note.end({ kind: "refused", code: refusal.code, message: refusal.message });
      return answerOf(api.protocol.refuse(refusal, requestId), requestId);
    }
  }

  /** Records a call as far as it can be read, even one without a valid signature. */
  #note(
    { api, asked, claim }: ServiceRequest,
    request: WireRequest,
  ): { readonly end: (outcome: CallOutcome) => void } {
    const key = claim && this.#aws.keys.find(claim.accessKeyId);
    const end = this.#aws.calls.begin({
      at: this.#aws.timeline.now(),
      service: api.signingName,
      action: asked.kind === "operation" ? operationName(asked.operation.schema) : asked.name,
      parameters: asked.kind === "operation" ? asked.input : {},
      userAgent: request.headers["user-agent"] ?? "",
      principal: key?.principal.arn ?? "",
    });
    return { end };
  }

  async #admit({ api, asked, claim }: ServiceRequest, visitor: Visitor): Promise<Visit> {
    const key = await this.#gate.identify(api, claim);
    if (asked.kind === "unknown")
      throw refuse(api.codes, "unknown-operation", `Could not find operation ${asked.name}`);
    const { arn: principal, userId } = key.principal;
    const caller = { ...visitor, principal, userId };
    return { api, operation: asked.operation, input: asked.input, caller };
  }

  async #act(visit: Visit): Promise<CallEffect> {
    const { api, operation, input, caller } = visit;
    const action = operationName(operation.schema);
    const due = this.#aws.faults.take({ service: api.signingName, action });
    if (due?.moment === "before-effect") return this.#fail(due, api);
    this.#gate.permit(api, operation.permissions(input), caller.principal);
    const output = await operation.run(input, caller);
    return due === undefined ? { kind: "output", output } : this.#fail(due, api);
  }

  #fail({ fault, moment }: DueFault, api: ServiceApi): CallEffect {
    if (fault === "throttle") throw refuse(api.codes, "throttled", "Rate exceeded");
    if (typeof fault === "object") throw new AwsError(fault.code, fault.message, fault);
    return { kind: "lost", how: fault, effect: moment === "after-effect" ? "taken" : "none" };
  }
}

const internal = (error: unknown): AwsError =>
  new AwsError("InternalFailure", String(error), { status: 500 });

const answerOf = (answer: WireAnswer, requestId: string): EndpointAnswer => ({
  kind: "answer",
  answer: { ...answer, headers: { ...answer.headers, "x-amzn-requestid": requestId } },
});

const notFound = (requestId: string): EndpointAnswer =>
  answerOf({ status: 404, headers: { "content-type": "text/plain" }, body: "" }, requestId);
