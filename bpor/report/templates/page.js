"use strict";
// Draws what html_data.py says. Text goes in as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const ROW = 34, HEAD = 30, NUMBER = 44, CHAR = 7.3;

  function element(name, attributes, text) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  function shape(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  // A name breaks behind its joints, and never inside an arrow.
  function named(name, attributes, text) {
    const made = element(name, attributes);
    for (const part of text.split(/(->|::|\.)/)) {
      made.append(part === "->" ? element("span", { class: "arrow" }, part) : part);
      if (part === "->" || part === "::" || part === ".") made.append(element("wbr"));
    }
    return made;
  }
  const clip = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);

  class Player {
    constructor(section, finding) {
      this.section = section;
      this.finding = finding;
      this.find = (selector) => section.querySelector(selector);
      this.slider = this.find("input[type=range]");
      this.lanes = this.find(".lanes");
      this.filters = { thread: "", object: "", which: "failing", fold: "folded" };
      this.find(".player").hidden = false; // before anything is measured
      const foldable = finding.failing.steps.some((step) => step.folded);
      this.find("[data-filter=fold]").closest("label").hidden = !foldable;
      this.choose("failing");
      this.listen();
    }

    choose(which) {
      this.filters.which = which;
      this.execution = this.finding[which];
      this.first = this.execution.first;
      this.end = this.first + this.execution.steps.length;
      this.fill("thread", this.execution.threads.map((t) => [String(t.number), `T${t.number} ${t.name}`]));
      const objects = [...new Set(this.execution.steps.flatMap((step) => step.objects))].sort();
      this.fill("object", objects.map((name) => [name, clip(name, 40)]));
      this.lay(this.end);
    }

    // Rows, from the top: a step, or several that are folded into one. The slider goes over rows, so it and the lanes show the same.
    lay(now) {
      this.rows = [];
      for (const step of this.execution.steps) {
        const last = this.rows[this.rows.length - 1];
        if (this.filters.fold === "all" || !step.folded) this.rows.push({ from: step.index, to: step.index, step });
        else if (last && !last.step) { last.to = step.index; last.threads.add(step.thread); }
        else this.rows.push({ from: step.index, to: step.index, step: null, threads: new Set([step.thread]) });
      }
      this.place = new Map();
      this.rows.forEach((row, number) => { for (let index = row.from; index <= row.to; index++) this.place.set(index, number); });
      this.place.set(this.end, this.rows.length);
      this.slider.min = 0;
      this.slider.max = this.rows.length;
      this.draw();
      this.go(now);
    }

    fill(filter, options) {
      const select = this.find(`[data-filter=${filter}]`);
      while (select.options.length > 1) select.remove(1);
      for (const [value, text] of options) select.append(element("option", { value }, text));
      select.value = this.filters[filter] = "";
    }

    listen() {
      this.slider.addEventListener("input", () => this.go(this.indexOf(Number(this.slider.value))));
      for (const button of this.section.querySelectorAll("[data-go]"))
        button.addEventListener("click", () => this.move(button.dataset.go));
      for (const select of this.section.querySelectorAll("[data-filter]"))
        select.addEventListener("change", () => {
          this.filters[select.dataset.filter] = select.value;
          if (select.dataset.filter === "which") this.choose(select.value);
          else if (select.dataset.filter === "fold") this.lay(this.now);
          else this.show();
        });
      window.addEventListener("resize", () => this.lay(this.now));
      this.section.addEventListener("keydown", (event) => {
        if (event.target.tagName === "SELECT" || event.altKey || event.ctrlKey || event.metaKey) return;
        const way = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" }[event.key];
        if (way) { event.preventDefault(); this.move(way); }
      });
    }

    indexOf(row) {
      return row < this.rows.length ? this.rows[row].from : this.end;
    }

    move(way) {
      const row = this.place.get(this.now);
      const to = { first: 0, back: row - 1, next: row + 1, last: this.rows.length }[way];
      this.go(this.indexOf(Math.min(Math.max(to, 0), this.rows.length)));
    }

    go(step) {
      const row = this.place.get(Math.min(Math.max(step, this.first), this.end));
      this.now = this.indexOf(row);
      this.slider.value = row;
      const folded = this.rows[row] && !this.rows[row].step && this.rows[row].to > this.now ? `–${this.rows[row].to}` : "";
      this.find("output").textContent = this.now < this.end ? `${this.now}${folded} of ${this.end}` : `${this.end}: the end`;
      this.show();
    }

    // ---- lanes ----

    draw() {
      const { steps, threads } = this.execution;
      const seen = this.rows.filter((row) => row.step).map((row) => row.step);
      const width = Math.max(64, Math.min(230, CHAR * Math.max(12, ...seen.map((s) => s.text.length + 2), ...threads.map((t) => t.end.length + 4)), this.room(threads.length)));
      this.x = new Map(threads.map((thread, place) => [thread.number, NUMBER + place * (width + 14)]));
      this.y = (index) => HEAD + this.place.get(index) * ROW;
      const rows = this.rows.length + 1;
      const svg = shape("svg", { width: NUMBER + threads.length * (width + 14), height: HEAD + rows * ROW + 10, role: "presentation" });
      const defs = shape("defs", {});
      const head = shape("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
      head.append(shape("path", { d: "M0 0L8 4L0 8z", class: "head" }));
      defs.append(head);
      svg.append(defs);
      for (const thread of threads) this.drawLane(svg, thread, width, rows);
      for (const step of seen) for (const cause of step.causes) this.drawArrow(svg, cause, step, width);
      this.nodes = this.rows.map((row) => (row.step ? this.drawStep(svg, row.step, width) : this.drawFold(svg, row)));
      this.stuck = threads.filter((thread) => thread.end).map((thread) => this.drawEnd(svg, thread, width));
      this.nowLine = shape("line", { class: "now", x1: 0, x2: NUMBER + threads.length * (width + 14) });
      svg.append(this.nowLine);
      this.lanes.replaceChildren(svg);
    }

    // On a narrow screen all lanes are seen, their texts cut; a wide one has room for the texts.
    room(threads) {
      return Math.max(64, (this.lanes.clientWidth - NUMBER) / threads - 14);
    }

    drawLane(svg, thread, width, rows) {
      const middle = this.x.get(thread.number) + width / 2;
      const top = this.y(Math.min(Math.max(thread.born, this.first), this.end));
      svg.append(shape("line", { class: "lane", x1: middle, x2: middle, y1: top, y2: HEAD + rows * ROW }));
      const label = clip(`T${thread.number} ${thread.name}`, Math.floor(width / CHAR));
      svg.append(shape("text", { class: "title", x: this.x.get(thread.number), y: 18 }, label));
    }

    drawArrow(svg, cause, step, width) {
      const from = this.execution.steps[cause - this.first];
      if (!from || from.thread === step.thread || !this.rows[this.place.get(cause)].step) return;
      const right = this.x.get(step.thread) > this.x.get(from.thread);
      const x1 = this.x.get(from.thread) + (right ? width : 0), x2 = this.x.get(step.thread) + (right ? 0 : width);
      const y1 = this.y(from.index) + 13, y2 = this.y(step.index) + 13, bend = right ? 12 : -12;
      const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
      svg.append(shape("path", { class: "arrow", d: path, "marker-end": "url(#head)" }));
    }

    drawStep(svg, step, width) {
      const x = this.x.get(step.thread), y = this.y(step.index);
      const group = shape("g", { class: "step", "data-step": step.index });
      group.append(shape("text", { x: 4, y: y + 17 }, String(step.index)));
      group.append(shape("rect", { x, y: y + 2, width, height: 22, rx: 5 }));
      group.append(shape("text", { x: x + 7, y: y + 17 }, clip(step.text, Math.floor(width / CHAR) - 1)));
      const title = [step.text, step.site && step.site.place, step.site && step.site.source].filter(Boolean).join("\n");
      group.append(shape("title", {}, title));
      if (step.preempted !== null)
        group.append(shape("text", { class: "preemption", x, y: y - 1 }, `T${step.preempted} preempted`));
      group.addEventListener("click", () => this.go(step.index));
      const passing = this.filters.which === "passing";
      if (step.index === (passing ? this.finding.passing.earlier : this.finding.later)) group.classList.add("difference");
      svg.append(group);
      return group;
    }

    drawFold(svg, row) {
      const y = this.y(row.from), count = row.to - row.from + 1;
      const group = shape("g", { class: "step fold", "data-step": row.from });
      const who = row.threads.size <= 6 ? [...row.threads].sort((a, b) => a - b).map((t) => `T${t}`).join(", ") : `${row.threads.size} threads`;
      group.append(shape("text", { x: NUMBER, y: y + 17 }, `… ${count} step${count > 1 ? "s" : ""} of ${who} …`));
      group.append(shape("title", {}, `steps ${row.from} to ${row.to} are folded: choose all steps to see them`));
      group.addEventListener("click", () => this.go(row.from));
      svg.append(group);
      return group;
    }

    drawEnd(svg, thread, width) {
      const x = this.x.get(thread.number), y = this.y(this.end);
      const group = shape("g", { class: thread.blocked ? "step stuck" : "step" });
      group.append(shape("rect", { x, y: y + 2, width, height: 22, rx: 5 }));
      const text = (thread.blocked ? "✗ " : "") + thread.end;
      group.append(shape("text", { x: x + 7, y: y + 17 }, clip(text, Math.floor(width / CHAR) - 1)));
      group.append(shape("title", {}, `T${thread.number} is stopped before: ${thread.end}`));
      svg.append(group);
      return group;
    }

    // ---- one state ----

    show() {
      const { thread, object } = this.filters;
      this.rows.forEach((row, place) => {
        const node = this.nodes[place].classList, step = row.step;
        node.toggle("current", row.from === this.now);
        node.toggle("future", row.from >= this.now);
        const other = !step || (thread !== "" && String(step.thread) !== thread) || (object !== "" && !step.objects.includes(object));
        node.toggle("filtered", other && (thread !== "" || object !== ""));
      });
      const y = this.y(this.now) - 3;
      this.nowLine.setAttribute("y1", y);
      this.nowLine.setAttribute("y2", y);
      const view = this.lanes;
      if (y < view.scrollTop + HEAD || y > view.scrollTop + view.clientHeight - 2 * ROW) view.scrollTop = y - view.clientHeight / 2;
      this.showState();
      this.showSource();
    }

    state() {
      const held = new Map(this.execution.threads.map((thread) => [thread.number, []]));
      const values = new Map();
      for (const start of this.execution.held) held.set(start.thread, [...start.locks]);
      for (const step of this.execution.steps) {
        if (step.index >= this.now) break;
        const mine = (held.get(step.thread) || []).filter((lock) => !step.gives.includes(lock));
        held.set(step.thread, mine.concat(step.takes));
        if (step.value !== null && step.objects.length) values.set(step.objects[0], step.value);
      }
      return { held, values };
    }

    showState() {
      const { held, values } = this.state();
      const current = this.execution.steps[this.now - this.first];
      const table = element("table");
      const head = element("tr");
      for (const title of ["thread", "will do", "holds"]) head.append(element("th", { scope: "col" }, title));
      table.append(element("thead"));
      table.tHead.append(head);
      const body = table.createTBody();
      for (const thread of this.execution.threads) {
        if (thread.born > this.now) continue;
        const next = this.execution.steps.find((step) => step.index >= this.now && step.thread === thread.number);
        const blocked = current ? !current.enabled.includes(thread.number) : thread.blocked;
        const what = next ? next.text : thread.end || thread.after;
        const row = body.insertRow();
        const mark = current && current.thread === thread.number ? "▶ " : "";
        row.append(named("th", { scope: "row" }, `${mark}T${thread.number} ${thread.name}`));
        row.append(named("td", {}, what + (blocked && (next || thread.end) ? " (blocked)" : "")));
        row.append(named("td", {}, (held.get(thread.number) || []).join(", ")));
      }
      const parts = [table];
      if (values.size) parts.push(named("p", {}, [...values].map(([name, value]) => `${name} = ${value}`).join(", ")));
      this.find(".state").replaceChildren(...parts);
    }

    showSource() {
      const step = this.execution.steps[this.now - this.first];
      const site = step ? step.site : this.filters.which === "failing" ? this.finding.site : null;
      const pane = this.find(".source");
      if (!site) return pane.replaceChildren(element("div", {}, "no source is known here"));
      const lines = this.finding.sources[site.key] || [];
      const title = element("div", { class: "place" }, `${site.place}${site.function ? ` in ${site.function}` : ""}`);
      pane.replaceChildren(title, ...lines.map(([number, text]) => {
        const row = element("div", number === site.line ? { class: "here" } : {});
        row.append(element("span", { class: "number" }, String(number)), document.createTextNode(text));
        return row;
      }));
    }
  }

  // ---- coverage ----

  const WIDTH = 560, HEIGHT = 180, BASE = 150, LEFT = 56;

  function drawBars(place, levels) {
    if (!place || !levels.length) return;
    const most = Math.max(1, ...levels.map((level) => level.traces));
    const slot = (WIDTH - LEFT) / levels.length, bar = Math.min(60, slot * 0.6);
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "presentation" });
    svg.append(shape("line", { class: "axis", x1: LEFT, x2: WIDTH, y1: BASE, y2: BASE }));
    levels.forEach((level, number) => {
      const x = LEFT + slot * (number + 0.5), y = BASE - (level.traces / most) * 120;
      svg.append(shape("rect", { class: level.complete ? "bar" : "bar open", x: x - bar / 2, y, width: bar, height: BASE - y, opacity: 0.35 }));
      svg.append(shape("text", { x, y: y - 6, "text-anchor": "middle" }, String(level.traces)));
      svg.append(shape("text", { x, y: BASE + 18, "text-anchor": "middle" }, clip(level.bound, Math.max(6, Math.floor(slot / 7)))));
    });
    place.append(svg);
  }

  // [seconds, executions, findings] at moments of the search.
  function drawCurve(place, points) {
    if (!place || points.length < 2) return;
    const late = Math.max(...points.map((p) => p[0]), 1e-6), most = Math.max(...points.map((p) => p[1]), 1);
    const x = (seconds) => LEFT + (seconds / late) * (WIDTH - LEFT - 20), y = (count) => BASE - (count / most) * 120;
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "presentation" });
    svg.append(shape("line", { class: "axis", x1: LEFT, x2: WIDTH, y1: BASE, y2: BASE }));
    svg.append(shape("path", { class: "line", d: "M" + points.map((p) => `${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`).join("L") }));
    points.forEach((p, number) => {
      if (p[2] > (number ? points[number - 1][2] : 0)) svg.append(shape("circle", { class: "found", cx: x(p[0]), cy: y(p[1]), r: 5 }));
    });
    svg.append(shape("text", { x: LEFT - 6, y: y(most) + 4, "text-anchor": "end" }, String(most)));
    svg.append(shape("text", { x: LEFT, y: BASE + 18 }, "0 s"));
    svg.append(shape("text", { x: WIDTH - 20, y: BASE + 18, "text-anchor": "end" }, `${late < 10 ? late.toFixed(2) : Math.round(late)} s`));
    place.append(svg);
  }

  document.querySelectorAll(".finding").forEach((section) => new Player(section, data.findings[Number(section.dataset.finding)]));
  drawBars(document.querySelector(".by-bound"), data.levels);
  drawCurve(document.querySelector(".over-time"), data.curve);
})();
