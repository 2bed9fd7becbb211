import { stub } from "./stub.ts";

/** Leaves the AWS SDK's event streams out: no operation of the services that the functions call has one. */
export const eventStreamsStub = stub({
  path: "@smithy/core/event-streams",
  exports: ["EventStreamSerde", "eventStreamSerdeProvider"],
  // The client of CloudWatch Logs completes its configuration with it.
  passing: ["resolveEventStreamSerdeConfig"],
  reason: "no operation in use has an event stream",
});
