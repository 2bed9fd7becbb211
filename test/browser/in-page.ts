/** Returns the texts and bars on the page that lie over each other, as pairs. */
export const overlaps = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const boxes = [];
  while (walker.nextNode()) {
    const { parentElement: element, data } = walker.currentNode;
    const isSeen = element.checkVisibility() && element.closest(".unseen,caption,select,script,style,#tip") === null;
    if (data.trim() === "" || !isSeen) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const { left, right, top, bottom } of range.getClientRects())
      boxes.push({ left, right, top: top + 2, bottom: bottom - 2, text: data.trim().slice(0, 40) });
  }
  for (const bar of document.querySelectorAll(".bar"))
    if (bar.checkVisibility()) {
      const { left, right, top, bottom } = bar.getBoundingClientRect();
      boxes.push({ left, right, top, bottom, text: "a bar" });
    }
  boxes.sort((a, b) => a.top - b.top);
  const pairs = [];
  for (const [index, box] of boxes.entries())
    for (const other of boxes.slice(index + 1)) {
      if (other.top >= box.bottom) break;
      if (box.left + 1 < other.right && other.left + 1 < box.right) pairs.push(box.text + " | " + other.text);
    }
  return pairs;
})()`;

/** Returns how far the page is wider than the window, and each text that is cut off or leaves the window. */
export const cutOff = `(() => {
  const root = document.documentElement;
  const cut = [...document.querySelectorAll("th,td,.words,.name,.badge,.facts,.scale span")]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline")
    .map((one) => one.textContent.slice(0, 40));
  return [...cut, ...(root.scrollWidth > root.clientWidth ? ["the page"] : [])];
})()`;

/** Returns the signs whose contrast to what is behind them is below 3 to 1. @see https://www.w3.org/TR/WCAG22/#non-text-contrast */
export const faintSigns = `(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = light(getComputedStyle(document.querySelector(".drain")).backgroundColor);
  const signs = [".on-the-node", ".ending", ".pass", ".hatch-line", ".dots-dot", ".mark.done", ".mark.heartbeat", ".mark.fault"];
  return signs.flatMap((sign) => {
    const own = light(getComputedStyle(document.querySelector(sign)).fill);
    const ratio = (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
    return ratio < 3 ? [sign + " " + ratio.toFixed(2)] : [];
  });
})()`;
