"use strict";
// Sliders: T is the largest of planes, so that all that follows from it is computed at once.
(() => {
  const STEPS = 1000;

  // As format_time and its kind do in Python: so many significant digits, without trailing zeros.
  function digits(value, significant) {
    const rounded = Number(value.toPrecision(significant));
    if (rounded === 0 || Math.abs(rounded) >= 1e-4) return String(rounded);
    return rounded.toFixed(12).replace(/\.?0+$/, "");
  }
  function time(ns) {
    const size = Number(Math.abs(ns).toPrecision(4));
    const [unit, scale] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, each]) => size >= each) ?? ["ns", 1];
    return `${digits(ns / scale, 4)} ${unit}`;
  }
  function perByte(ns) {
    return ns === 0 ? "0 ns/B (unlimited bandwidth)" : `${digits(ns, 4)} ns/B (${digits(1 / ns, 4)} GB/s)`;
  }
  const grouped = (value) => Number(value.toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 6 });
  const share = (value) => `${digits(100 * value, 3)}%`;
  const change = (value) => (value < 0 ? "−" : "+") + share(Math.abs(value));
  function text(slider, value) {
    if (slider.unit === "ns") return time(value);
    return slider.unit === "ns/B" ? perByte(value) : digits(value, 4);
  }
  const extra = (slider, value) => `+${slider.unit === "ns/B" ? `${digits(value, 4)} ns/B` : text(slider, value)}`;

  function make(name, into, content = "", attributes = {}) {
    const made = document.createElement(name);
    made.textContent = content;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    into.append(made);
    return made;
  }

  function show(place) {
    const { sliders, alternatives, tolerances } = JSON.parse(place.firstElementChild.textContent);
    let chosen = alternatives[0];
    const height = (plane, at) => at.reduce((sum, value, i) => sum + plane[i + 1] * value, plane[0]);
    const runtimeOf = (of, at) => of.planes.reduce((most, plane) => Math.max(most, height(plane, at)), -Infinity);

    // How far one parameter may rise until a plane reaches the limit; `heights`: of the planes now.
    function room(axis, heights, limit) {
      return chosen.planes.reduce((least, plane, i) => {
        if (!(plane[axis + 1] > 0)) return least;
        return Math.min(least, Math.max(0, limit - heights[i]) / plane[axis + 1]);
      }, Infinity);
    }

    const several = alternatives.length > 1;
    const choice = several ? make("p", place, "", { class: "buttons", role: "group", "aria-label": "alternatives" }) : place;
    const buttons = several ? alternatives.map((each) => make("button", choice, each.label, { type: "button" })) : [];
    const said = make("p", place, "", { class: "now" });
    const runtime = make("output", said, "", { "aria-live": "polite" });
    const against = make("span", said);
    const others = several ? make("p", place, "", { class: "others" }) : null;
    const parts = make("div", place, "", { class: "shares", role: "img" });
    const names = [...sliders.map(({ meaning }) => meaning), "all else"];
    const segments = names.map((_, index) => make("span", parts, "", { class: index < sliders.length ? `part-${index}` : "part-rest" }));
    const table = make("table", make("div", place, "", { class: "wide", tabindex: 0 }));
    const head = make("tr", make("thead", table));
    const heads = ["parameter", "", "λ", "ρ, share of T", ...tolerances.map((each) => `${share(each)} slower at`)];
    for (const each of heads) make(each ? "th" : "td", head, each, each ? { scope: "col" } : {});
    const body = make("tbody", table);
    const rows = sliders.map((slider, index) => {
      const row = make("tr", body);
      const name = make("td", row);
      make("i", name, "", { class: `part-${index}` });
      name.append(slider.meaning);
      const value = make("small", name);
      const cell = make("td", row);
      const input = make("input", cell, "", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": slider.meaning });
      const zones = make("div", cell, "", { class: "zones" });
      return { slider, input, value, zones, cells: heads.slice(2).map(() => make("td", row)), at: 0 };
    });
    const most = make("p", place, "", { class: "note" });

    // Along an axis by equal ratios where it begins above 0.
    function valueAt({ slider, input }) {
      const part = Number(input.value) / STEPS;
      if (slider.low > 0) return slider.low * (slider.high / slider.low) ** part;
      return slider.low + part * (slider.high - slider.low);
    }
    function partAt({ low, high }, value) {
      return low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    }
    function toStart() {
      rows.forEach((row, axis) => {
        row.at = chosen.start[axis];
        row.input.value = Math.round(STEPS * partAt(row.slider, row.at));
      });
      update();
    }

    // Green until the first limit, orange until the second, red until the last.
    function zonesOf({ slider, at }, rooms) {
      const ends = [0, ...rooms].map((extra) => `${(100 * Math.min(1, partAt(slider, at + extra))).toFixed(2)}%`);
      const bands = rooms.map((_, i) => `var(--zone-${Math.min(i, 2)}) ${ends[i]} ${ends[i + 1]}`);
      return `linear-gradient(to right, transparent ${ends[0]}, ${[...bands, `transparent ${ends.at(-1)}`].join(", ")})`;
    }

    function update() {
      const { planes, reference_ns, error } = chosen;
      const at = rows.map((row) => row.at);
      const heights = planes.map((each) => height(each, at));
      const T = heights.reduce((highest, each) => Math.max(highest, each), -Infinity);
      const plane = planes[heights.indexOf(T)];
      runtime.textContent = `T = ${time(T)}`;
      const more = T / reference_ns - 1;
      const compared = Math.abs(more) > error ? `${change(more)} against the network` : "as at the network";
      against.textContent = `${compared}, within ${share(error)}`;
      if (several) {
        const told = alternatives.map((each) => {
          const its = runtimeOf(each, at);
          return `${each.label} ${time(its)}${each === chosen ? "" : ` (${change(its / T - 1)})`}`;
        });
        others.textContent = `Here: ${told.join(", ")}.`;
      }
      const shares = at.map((value, axis) => (plane[axis + 1] * value) / T);
      const rest = plane[0] > 1e-9 * T ? plane[0] / T : 0;
      const all = [...shares, rest];
      segments.forEach((segment, index) => (segment.style.width = `${100 * all[index]}%`));
      parts.setAttribute("aria-label", `T consists of ${names.map((name, index) => `${name} ${share(all[index])}`).join(", ")}`);
      rows.forEach(({ slider, input, value, zones, cells }, axis) => {
        value.textContent = text(slider, at[axis]);
        input.setAttribute("aria-valuetext", value.textContent);
        const rooms = tolerances.map((each) => room(axis, heights, T * (1 + each)));
        const words = [grouped(plane[axis + 1]), share(shares[axis]), ...rooms.map((each) => (each === Infinity ? "never" : extra(slider, each)))];
        cells.forEach((cell, index) => (cell.textContent = words[index]));
        zones.style.background = zonesOf(rows[axis], rooms);
      });
      const largest = shares.indexOf(Math.max(...shares));
      const unmoved = rest > 1e-6 ? ` No slider moves ${share(rest)} of T.` : "";
      most.textContent = `Here most of T that sliders move is ${sliders[largest].meaning}: ${share(shares[largest])}.${unmoved} Bars below the sliders end where T is ${tolerances.map(share).join(", ")} longer.`;
    }

    for (const row of rows) {
      row.input.addEventListener("input", () => {
        row.at = valueAt(row);
        update();
      });
    }
    function choose(alternative) {
      chosen = alternative;
      buttons.forEach((each, index) => each.setAttribute("aria-pressed", String(alternatives[index] === chosen)));
    }
    buttons.forEach((button, index) =>
      button.addEventListener("click", () => {
        choose(alternatives[index]);
        update();
      }),
    );
    const back = make("button", make("p", place, "", { class: "buttons" }), "Back to the network", { type: "button" });
    back.addEventListener("click", toStart);
    choose(chosen);
    toStart();
  }

  document.querySelectorAll(".live").forEach(show);
})();
