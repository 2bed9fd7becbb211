import { type Instant, instant, minutes } from "../base/time.ts";

/** The times of a week, in UTC, in which an upgrade may begin further nodes. */
export interface MaintenanceWindow {
  /** 0 is Sunday. */
  readonly days: readonly number[];
  /** Minutes after midnight. */
  readonly from: number;
  /** Minutes after midnight; earlier than `from` for a window that ends on the next day. */
  readonly to: number;
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const minutesOfDay = 24 * 60;
const form = /^([A-Z][a-z]{2}(?:\+[A-Z][a-z]{2}){0,6})\/(\d{2}):(\d{2})-(\d{2}):(\d{2})$/;

/** Reads a window such as `Mon+Tue/22:00-06:00`, or `always`; `undefined` when the text is neither. */
export function tryWindow(text: string): MaintenanceWindow | "always" | undefined {
  if (text === "always") return text;
  const [, names = "", ...times] = form.exec(text) ?? [];
  const numbers = names.split("+").map((name) => days.indexOf(name));
  const [fromHour = 24, fromMinute = 60, toHour = 25, toMinute = 60] = times.map(Number);
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  const isTime = fromHour < 24 && fromMinute < 60 && toHour * 60 + toMinute <= minutesOfDay;
  if (numbers.includes(-1) || !isTime || toMinute >= 60 || from === to) return undefined;
  return { days: [...new Set(numbers)].sort((a, b) => a - b), from, to };
}

export const windowText = (window: MaintenanceWindow | "always"): string =>
  window === "always"
    ? window
    : `${window.days.map((day) => days[day]).join("+")}/${clock(window.from)}-${clock(window.to)}`;

const clock = (minute: number): string => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
const two = (count: number): string => String(count).padStart(2, "0");

const dayLength = minutes(minutesOfDay);
// 1 January 1970 was a Thursday.
const firstDay = 4;

/** The time at which the window opens, or `open`. */
export function openFrom(window: MaintenanceWindow | "always", now: Instant): Instant | "open" {
  if (window === "always") return "open";
  const { days: wanted, from, to } = window;
  const length = minutes(to > from ? to - from : to - from + minutesOfDay);
  const today = Math.floor(now / dayLength);
  const openings = [-1, 0, 1, 2, 3, 4, 5, 6, 7]
    .map((ahead) => today + ahead)
    .filter((day) => wanted.includes((day + firstDay) % 7))
    .map((day) => day * dayLength + minutes(from));
  if (openings.some((opens) => opens <= now && now < opens + length)) return "open";
  return instant(Math.min(...openings.filter((opens) => opens > now)));
}
