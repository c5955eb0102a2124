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
  const clip = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);

  class Player {
    constructor(section, finding) {
      this.section = section;
      this.finding = finding;
      this.find = (selector) => section.querySelector(selector);
      this.slider = this.find("input[type=range]");
      this.lanes = this.find(".lanes");
      this.filters = { thread: "", object: "", which: "failing" };
      this.choose("failing");
      this.listen();
      this.find(".player").hidden = false;
    }

    choose(which) {
      this.filters.which = which;
      this.execution = this.finding[which];
      this.first = this.execution.first;
      this.end = this.first + this.execution.steps.length;
      this.slider.min = this.first;
      this.slider.max = this.end;
      this.fill("thread", this.execution.threads.map((t) => [String(t.number), `T${t.number} ${t.name}`]));
      const objects = [...new Set(this.execution.steps.flatMap((step) => step.objects))].sort();
      this.fill("object", objects.map((name) => [name, name]));
      this.draw();
      this.go(this.end);
    }

    fill(filter, options) {
      const select = this.find(`[data-filter=${filter}]`);
      while (select.options.length > 1) select.remove(1);
      for (const [value, text] of options) select.append(element("option", { value }, text));
      select.value = this.filters[filter] = "";
    }

    listen() {
      this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
      for (const button of this.section.querySelectorAll("[data-go]"))
        button.addEventListener("click", () => this.move(button.dataset.go));
      for (const select of this.section.querySelectorAll("[data-filter]"))
        select.addEventListener("change", () => {
          this.filters[select.dataset.filter] = select.value;
          if (select.dataset.filter === "which") this.choose(select.value);
          else this.show();
        });
      this.section.addEventListener("keydown", (event) => {
        if (event.target.tagName === "SELECT" || event.altKey || event.ctrlKey || event.metaKey) return;
        const way = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" }[event.key];
        if (way) { event.preventDefault(); this.move(way); }
      });
    }

    move(way) {
      this.go({ first: this.first, back: this.now - 1, next: this.now + 1, last: this.end }[way]);
    }

    go(step) {
      this.now = Math.min(Math.max(step, this.first), this.end);
      this.slider.value = this.now;
      this.find("output").textContent = this.now < this.end ? `${this.now} of ${this.end}` : `${this.end}: the end`;
      this.show();
    }

    // ---- lanes ----

    draw() {
      const { steps, threads } = this.execution;
      const width = Math.max(90, Math.min(230, CHAR * Math.max(12, ...steps.map((s) => s.text.length + 2), ...threads.map((t) => t.end.length + 4))));
      this.x = new Map(threads.map((thread, place) => [thread.number, NUMBER + place * (width + 14)]));
      this.y = (index) => HEAD + (index - this.first) * ROW;
      const rows = steps.length + 1;
      const svg = shape("svg", { width: NUMBER + threads.length * (width + 14), height: HEAD + rows * ROW + 10, role: "presentation" });
      const defs = shape("defs", {});
      const head = shape("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
      head.append(shape("path", { d: "M0 0L8 4L0 8z", class: "head" }));
      defs.append(head);
      svg.append(defs);
      for (const thread of threads) this.drawLane(svg, thread, width, rows);
      for (const step of steps) for (const cause of step.causes) this.drawArrow(svg, cause, step, width);
      this.nodes = steps.map((step) => this.drawStep(svg, step, width));
      this.stuck = threads.filter((thread) => thread.end).map((thread) => this.drawEnd(svg, thread, width));
      this.nowLine = shape("line", { class: "now", x1: 0, x2: NUMBER + threads.length * (width + 14) });
      svg.append(this.nowLine);
      this.lanes.replaceChildren(svg);
    }

    drawLane(svg, thread, width, rows) {
      const middle = this.x.get(thread.number) + width / 2;
      const top = this.y(Math.max(thread.born, this.first));
      svg.append(shape("line", { class: "lane", x1: middle, x2: middle, y1: top, y2: this.y(this.first + rows) }));
      const label = clip(`T${thread.number} ${thread.name}`, Math.floor(width / CHAR));
      svg.append(shape("text", { class: "title", x: this.x.get(thread.number), y: 18 }, label));
    }

    drawArrow(svg, cause, step, width) {
      const from = this.execution.steps[cause - this.first];
      if (!from || from.thread === step.thread) return;
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
      this.execution.steps.forEach((step, place) => {
        const node = this.nodes[place].classList;
        node.toggle("current", step.index === this.now);
        node.toggle("future", step.index >= this.now);
        node.toggle("filtered", (thread !== "" && String(step.thread) !== thread) || (object !== "" && !step.objects.includes(object)));
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
        const what = next ? next.text : thread.end;
        const row = body.insertRow();
        const mark = current && current.thread === thread.number ? "▶ " : "";
        row.append(element("th", { scope: "row" }, `${mark}T${thread.number} ${thread.name}`));
        row.append(element("td", {}, what ? what + (blocked ? " (blocked)" : "") : "has ended"));
        row.append(element("td", {}, (held.get(thread.number) || []).join(", ")));
      }
      const parts = [table];
      if (values.size) parts.push(element("p", {}, [...values].map(([name, value]) => `${name} = ${value}`).join(", ")));
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

  // ---- the coverage curve: distinct traces per bound ----

  function drawCurve(place, levels) {
    if (!place || !levels.length) return;
    const WIDTH = 560, HEIGHT = 180, BASE = 150, LEFT = 40;
    const most = Math.max(1, ...levels.map((level) => level.traces));
    const slot = (WIDTH - LEFT) / levels.length, bar = Math.min(60, slot * 0.6);
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "presentation" });
    svg.append(shape("line", { class: "axis", x1: LEFT, x2: WIDTH, y1: BASE, y2: BASE }));
    const points = levels.map((level, number) => {
      const x = LEFT + slot * (number + 0.5), y = BASE - (level.traces / most) * 120;
      svg.append(shape("rect", { class: level.complete ? "bar" : "bar open", x: x - bar / 2, y, width: bar, height: BASE - y, opacity: 0.35 }));
      svg.append(shape("text", { x, y: y - 6, "text-anchor": "middle" }, String(level.traces)));
      svg.append(shape("text", { x, y: BASE + 18, "text-anchor": "middle" }, clip(level.bound, Math.max(6, Math.floor(slot / 7)))));
      return `${x} ${y}`;
    });
    if (points.length > 1) svg.append(shape("path", { class: "line", d: `M${points.join("L")}` }));
    place.append(svg);
  }

  document.querySelectorAll(".finding").forEach((section) => new Player(section, data.findings[Number(section.dataset.finding)]));
  drawCurve(document.querySelector(".curve"), data.levels);
})();
