import type { AccessKey } from "./access-keys.ts";
import type { Aws } from "./aws.ts";
import type { Permission } from "./operation.ts";
import { refuse } from "./refusals.ts";
import type { ServiceApi } from "./service-api.ts";
import { judgeSignature } from "./signature-judge.ts";
import { tryReadSignature } from "./signed-request.ts";
import type { WireRequest } from "./wire/wire.ts";

/** How strict the gate is. */
export interface GateSettings {
  /** Whether the date of a signature must be near; clients cannot know virtual time. */
  readonly dates: "ignored" | "judged";
}

/** Nobody gets past without a good signature and leave. */
export class Gate {
  readonly #aws: Aws;
  readonly #settings: GateSettings;

  constructor(aws: Aws, settings: GateSettings) {
    this.#aws = aws;
    this.#settings = settings;
  }

  /** Says whose key signed a request, or refuses it in the words of the service. */
  async identify({ signingName, codes }: ServiceApi, request: WireRequest): Promise<AccessKey> {
    const claim = tryReadSignature(request);
    if (claim === undefined)
      throw refuse(codes, "unsigned", "Request is missing Authentication Token");
    const { keys, timeline, account } = this.#aws;
    const { dates } = this.#settings;
    const verdict = await judgeSignature(claim, { keys, now: timeline.now(), dates });
    if (verdict.kind === "refused") throw refuse(codes, verdict.refusal, verdict.message);
    const { service, region } = claim.scope;
    const scoped = (to: string) => `Credential should be scoped to ${to}.`;
    if (service !== signingName)
      throw refuse(codes, "mismatch", scoped(`correct service: '${signingName}'`));
    if (service !== "iam" && region !== account.region)
      throw refuse(codes, "mismatch", scoped(`a valid region, not '${region}'`));
    return verdict.key;
  }

  /** Refuses a caller who may not do all of what a call needs. */
  permit(api: ServiceApi, permissions: readonly Permission[], principal: string): void {
    for (const permission of permissions) {
      if (this.#aws.authorize({ principal, ...permission }) === "allowed") continue;
      const { action, resource } = permission;
      const said = api.signingName === "sqs" ? action.toLowerCase() : action; // SQS writes it so
      const reason = `because no identity-based policy allows the ${said} action`;
      const message = `User: ${principal} is not authorized to perform: ${said} on resource: ${resource} ${reason}`;
      throw refuse(api.codes, "denied", message);
    }
  }
}
