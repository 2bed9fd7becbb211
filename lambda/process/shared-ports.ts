import { randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.port.ts";
import type { Ports } from "../registrations/ports.ts";
import { SharedAdmissions } from "./shared-admissions.ts";
import { SharedMarks } from "./shared-marks.ts";
import { sharedPause } from "./shared-pause.ts";
import { sharedPodRequests } from "./shared-pod-requests.ts";

/** What drains tell each other, so that together they ask and write no more than they must. */
export const sharedPorts = (
  clock: Clock,
): Pick<Ports, "admissions" | "departures" | "marks" | "pause" | "podRequests" | "process"> => ({
  pause: sharedPause(),
  marks: new SharedMarks(clock),
  podRequests: sharedPodRequests(clock),
  process: randomUUID(),
  admissions: new SharedAdmissions(clock),
  departures: new SharedAdmissions(clock),
});
