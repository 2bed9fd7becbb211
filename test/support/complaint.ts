import { expect } from "vitest";
import { Fault } from "../../lambda/base/fault.ts";
import { deliveries } from "../../lambda/notice/deliveries.ts";
import type { Delivery } from "../../lambda/notice/queue.port.ts";
import { type Notice, readNotice } from "../../lambda/notices.ts";

/** All deliveries of an event, as the function for notices reads them where it does not know its own role. */
export const delivered = (event: unknown, roleId = ""): readonly Delivery<Notice>[] =>
  deliveries(event, { reader: readNotice, roleId });

/** The delivery of an event with one notice. */
export function theOnly(event: unknown): Delivery<Notice> {
  const [delivery, ...others] = delivered(event);
  expect(others).toEqual([]);
  if (delivery === undefined) throw new Error("nothing was delivered");
  return delivery;
}

/** The kind of a delivered notice, or the complaint about it. */
export const kindOf = ({ content }: Delivery<Notice>): string =>
  content instanceof Fault ? content.message : content.kind;

/** Expects a delivery that is malformed at a place, with one short line as the complaint. */
export function expectComplaint({ content }: Delivery<Notice>, place: string): void {
  if (!(content instanceof Fault)) throw new Error(`read as ${JSON.stringify(content)}`);
  expect(content.code).toBe("event.malformed");
  const start = `event.malformed: reading ${place}: expected `;
  expect(content.message.slice(0, start.length)).toBe(start);
  expect(content.message).toMatch(/^[^\p{Cc}\p{Cs}]{1,500}$/u);
}
