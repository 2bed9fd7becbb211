// @ts-nocheck
export function told(): string {
  const pod = { name: "web" };
  return `evicting ${pod}`;
}
