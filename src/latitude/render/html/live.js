"use strict";
// Sliders: T is the largest of planes, so that all that follows from it is computed at once.
(() => {
  const STEPS = 1000;

  // As format_time and its kind do in Python: so many significant digits, without trailing zeros.
  function digits(value, significant) {
    const rounded = Number(value.toPrecision(significant));
    if (rounded === 0 || Math.abs(rounded) >= 1e-4) return String(rounded);
    return rounded.toFixed(12).replace(/0+$/, "");
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
    const { sliders, planes, reference_ns, error, tolerances } = JSON.parse(place.firstElementChild.textContent);
    const height = (plane, at) => at.reduce((sum, value, i) => sum + plane[i + 1] * value, plane[0]);

    // How far one parameter may rise until a plane reaches the limit; `heights`: of the planes now.
    function room(axis, heights, limit) {
      return Math.min(
        ...planes.map((plane, i) => (plane[axis + 1] > 0 ? Math.max(0, limit - heights[i]) / plane[axis + 1] : Infinity)),
      );
    }

    const said = make("p", place, "", { class: "now" });
    const runtime = make("output", said, "", { "aria-live": "polite" });
    const against = make("span", said);
    const table = make("table", make("div", place, "", { class: "wide", tabindex: 0 }));
    const head = make("tr", make("thead", table));
    const heads = ["parameter", "", "λ", "share of T", ...tolerances.map((each) => `${share(each)} slower at`)];
    for (const each of heads) make(each ? "th" : "td", head, each, each ? { scope: "col" } : {});
    const body = make("tbody", table);
    const rows = sliders.map((slider) => {
      const row = make("tr", body);
      const value = make("small", make("td", row, slider.meaning));
      const input = make("input", make("td", row), "", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": slider.meaning });
      return { slider, input, value, cells: heads.slice(2).map(() => make("td", row)), at: slider.start };
    });
    const most = make("p", place, "", { class: "note" });

    // Along an axis by equal ratios where it begins above 0.
    function valueAt({ slider, input }) {
      const part = Number(input.value) / STEPS;
      if (slider.low > 0) return slider.low * (slider.high / slider.low) ** part;
      return slider.low + part * (slider.high - slider.low);
    }
    function toStart(row) {
      const { low, high, start } = row.slider;
      row.at = start;
      row.input.value = Math.round(STEPS * (low > 0 ? Math.log(start / low) / Math.log(high / low) : (start - low) / (high - low)));
    }

    function update() {
      const at = rows.map((row) => row.at);
      const heights = planes.map((each) => height(each, at));
      const T = Math.max(...heights);
      const plane = planes[heights.indexOf(T)];
      runtime.textContent = `T = ${time(T)}`;
      const more = T / reference_ns - 1;
      const compared = Math.abs(more) > error ? `${change(more)} against the network` : "as at the network";
      against.textContent = `${compared}, within ${share(error)}`;
      const shares = at.map((value, axis) => (plane[axis + 1] * value) / T);
      rows.forEach(({ slider, input, value, cells }, axis) => {
        value.textContent = text(slider, at[axis]);
        input.setAttribute("aria-valuetext", value.textContent);
        const rooms = tolerances.map((each) => room(axis, heights, T * (1 + each)));
        const words = [grouped(plane[axis + 1]), share(shares[axis]), ...rooms.map((each) => (each === Infinity ? "never" : extra(slider, each)))];
        cells.forEach((cell, index) => (cell.textContent = words[index]));
      });
      const largest = shares.indexOf(Math.max(...shares));
      const rest = share(Math.max(0, plane[0] / T));
      most.textContent = `Here most of T that sliders move is ${sliders[largest].meaning}: ${share(shares[largest])}. No slider moves ${rest} of T.`;
    }

    for (const row of rows) {
      row.input.addEventListener("input", () => {
        row.at = valueAt(row);
        update();
      });
    }
    const back = make("button", make("p", place, "", { class: "buttons" }), "Back to the network", { type: "button" });
    back.addEventListener("click", () => {
      rows.forEach(toStart);
      update();
    });
    rows.forEach(toStart);
    update();
  }

  document.querySelectorAll(".live").forEach(show);
})();
