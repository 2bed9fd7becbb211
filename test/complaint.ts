import { expect } from "vitest";
import { type Delivery, deliveries } from "../lambda/events/deliveries.ts";
import { Fault } from "../lambda/fault.ts";

/** What an event delivers that carries one notice. */
export function theOnly(event: unknown): Delivery {
  const [delivery, ...others] = deliveries(event);
  expect(others).toEqual([]);
  if (delivery === undefined) throw new Error("nothing was delivered");
  return delivery;
}

/** The kind of the notice that was delivered, or the complaint about it. */
export const kindOf = ({ noticed }: Delivery): string =>
  noticed instanceof Fault ? noticed.message : noticed.kind;

/** Expects that a delivery is malformed at a place, and that this is told in one short line. */
export function expectComplaint({ noticed }: Delivery, place: string): void {
  if (!(noticed instanceof Fault)) throw new Error(`read as ${JSON.stringify(noticed)}`);
  expect(noticed.code).toBe("event.malformed");
  const start = `event.malformed: reading ${place}: expected `;
  expect(noticed.message.slice(0, start.length)).toBe(start);
  expect(noticed.message).toMatch(/^[^\p{Cc}\p{Cs}]{1,500}$/u);
}
