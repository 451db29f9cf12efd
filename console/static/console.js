// Following the log, "/" for the search field, and the names of columns in rows that are blocks on a narrow screen.
// Pages work without it.
"use strict";

document.addEventListener("keydown", (event) => {
  const field = document.querySelector("[data-hotkey='/']");
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && field && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.focus();
  }
});

const button = document.querySelector("[data-tail]");
const table = document.getElementById("log");

// as in showing.py
function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (one) =>
    one === "\n" || one === "\t" ? one : `\\u${one.codePointAt(0).toString(16).padStart(4, "0")}`);
}

function cell(row, text, number) {
  const made = row.insertCell();
  made.textContent = visible(text ?? "");
  if (number) made.className = "number";
  return made;
}

function when(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

function label(row) {
  const names = row.closest("table").tHead?.rows[0].cells ?? [];
  for (const [at, one] of [...row.cells].entries()) {
    if (one.colSpan === 1 && names[at]) one.dataset.label = names[at].textContent.replace(/ [↑↓]$/, "").trim();
  }
}

document.querySelectorAll("table:not(.diff, .rows) tbody tr").forEach(label);

function add(entry) {
  const row = table.tBodies[0].insertRow(0);
  cell(row, when(entry.at)).className = "nowrap";
  const route = cell(row, entry.rewrite_id ? "" : entry.route);
  route.className = "nowrap";
  if (entry.rewrite_id) {
    const link = document.createElement("a");
    link.href = `/rewrites/${Number(entry.rewrite_id)}`;
    link.textContent = entry.route;
    route.append(link);
  }
  cell(row, entry.duration_ms == null ? "" : `${entry.duration_ms.toFixed(1)} ms`, true);
  const text = document.createElement("code");
  text.textContent = visible(entry.text);
  cell(row, "").append(text);
  cell(row, [entry.reason, entry.sqlstate].filter(Boolean).join(" "));
  cell(row, `${entry.role}@${entry.database}`);
  label(row);
}

async function look() {
  const address = new URL(button.dataset.tail, location.href);
  address.pathname += ".json";
  address.searchParams.set("after", table.dataset.newest);
  try {
    const answer = await fetch(address, { credentials: "same-origin" });
    if (!answer.ok) throw new Error(String(answer.status));
    const found = (await answer.json()).log;
    for (const entry of found.reverse()) {
      add(entry);
      table.dataset.newest = entry.id;
    }
    while (table.tBodies[0].rows.length > 500) table.tBodies[0].deleteRow(-1);
    button.textContent = "Following (stop)";
  } catch (error) {
    button.textContent = `Follow (stopped: ${error.message})`;
    stop();
  }
}

let timer = null;
function stop() {
  clearInterval(timer);
  timer = null;
  button.setAttribute("aria-pressed", "false");
}

if (button && table) {
  button.hidden = false;
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    if (timer) {
      stop();
      button.textContent = "Follow";
    } else {
      button.setAttribute("aria-pressed", "true");
      timer = setInterval(look, 1000);
      look();
    }
  });
}
