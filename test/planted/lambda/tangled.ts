// @ts-nocheck
export function judge(a: boolean, b: boolean, c: boolean): string {
  if (a) {
    if (b) {
      if (c) {
        for (const it of [a, b, c]) if (it) return "all";
      }
    } else if (c) return "two";
  }
  return "none";
}
