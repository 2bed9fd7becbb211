import type { Clock } from "../base/clock.port.ts";
import { milliseconds, minutes } from "../base/time.ts";
import type { Eviction } from "../drain/eviction.ts";
import type { PodRequests } from "../drain/pod-requests.port.ts";
import { TtlCache } from "./ttl-cache.ts";

// A drain believes for as long that a request has taken effect.
const memory = minutes(2);

const tookEffect = ({ kind }: Eviction): boolean => kind === "accepted" || kind === "gone";

/** The requests of all drains of this process. */
export const sharedPodRequests = (clock: Pick<Clock, "now">): PodRequests =>
  new TtlCache<Eviction>(clock, (answer) => (tookEffect(answer) ? memory : milliseconds(0)));
