import type { LearningClock } from "../base/clock.port.ts";
import type { KubeTransport } from "./kube-connection.ts";

/** A transport whose answers teach a clock the time of the API server; a watch does so at its start. */
export const taughtTransport = (
  transport: KubeTransport,
  clock: Pick<LearningClock, "asks">,
): KubeTransport => ({
  async request(request) {
    const learn = clock.asks("cluster");
    const answer = await transport.request(request);
    const { date } = answer.headers;
    learn(date);
    return answer;
  },
  open: () => transport.open(),
  close: () => transport.close(),
});
