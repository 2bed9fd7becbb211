import type { Eviction } from "../../domain/pod/eviction.ts";
import { milliseconds, minutes } from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PodRequests } from "../../ports/pod-requests.ts";
import { TtlCache } from "./ttl-cache.ts";

// A drain believes for as long that a request has taken effect.
const memory = minutes(2);

const tookEffect = ({ kind }: Eviction): boolean => kind === "accepted" || kind === "gone";

/** The requests of all drains of this process. */
export const sharedPodRequests = (clock: Pick<Clock, "now">): PodRequests =>
  new TtlCache<Eviction>(clock, (answer) => (tookEffect(answer) ? memory : milliseconds(0)));
