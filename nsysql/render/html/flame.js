"use strict";
const picture = document.querySelector("svg");
const width = picture.viewBox.baseVal.width;
const letter = 6.2;
const boxes = [...picture.querySelectorAll("g[data-x]")].map((group) => ({
  group,
  rect: group.querySelector("rect"),
  text: group.querySelector("text"),
  about: group.querySelector("title").textContent,
  name: group.querySelector("title").textContent.replace(/: [^:]*$/, ""),
  x: Number(group.dataset.x),
  w: Number(group.dataset.w),
}));

/** Show the part of the whole from `low` on that is `wide` of it. */
function zoom(low, wide) {
  for (const box of boxes) {
    const left = Math.max(0, (box.x - low) / wide);
    const right = Math.min(1, (box.x + box.w - low) / wide);
    const pixels = (right - left) * width;
    box.group.style.display = pixels > 0.1 ? "" : "none";
    if (pixels <= 0.1) continue;
    box.rect.setAttribute("x", left * width);
    box.rect.setAttribute("width", Math.max(0.3, pixels - 0.4));
    box.text.setAttribute("x", left * width + 3);
    const letters = Math.floor((pixels - 6) / letter);
    const fits = box.name.length <= letters;
    box.text.textContent = fits ? box.name : letters > 2 ? box.name.slice(0, letters - 1) + "…" : "";
  }
}

/** Mark the boxes whose names hold the text; say how much of the whole they have, what lies in each other once. */
function search(text) {
  const wanted = text.toLowerCase();
  picture.classList.toggle("searched", wanted !== "");
  let reached = 0, share = 0;
  const hits = boxes.filter((box) => {
    const hit = wanted !== "" && box.name.toLowerCase().includes(wanted);
    box.group.classList.toggle("hit", hit);
    return hit;
  });
  for (const box of hits.sort((a, b) => a.x - b.x || b.w - a.w)) {
    const end = box.x + box.w;
    if (end > reached) share += end - Math.max(reached, box.x);
    reached = Math.max(reached, end);
  }
  document.getElementById("found").textContent = wanted ? `${(100 * share).toFixed(2)}% in ${hits.length} boxes` : "";
}

for (const box of boxes) box.group.addEventListener("click", () => zoom(box.x, box.w));
document.addEventListener("keydown", (event) => event.key === "Escape" && zoom(0, 1));
document.getElementById("search").addEventListener("input", (event) => search(event.target.value));
