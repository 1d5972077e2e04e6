"use strict";
(() => {
  const config = {
    responsive: true,
    displaylogo: false,
    // Nothing leaves the page: plotly's own "edit in the cloud" button uploads the chart.
    showSendToCloud: false,
    plotlyServerURL: "",
    modeBarButtons: [["toImage"]],
    toImageButtonOptions: { format: "svg" },
  };
  const figures = JSON.parse(document.getElementById("figures").textContent);

  for (const [id, figure] of Object.entries(figures)) {
    const chart = document.getElementById(id);
    Plotly.newPlot(chart, figure.data, figure.layout, { ...config });
    addButtons(chart, "views", figure.views, (view) => Plotly.relayout(chart, view.layout));
    addButtons(chart, "layers", figure.layers, (layer) =>
      Plotly.restyle(chart, { visible: layer.shown }),
    );
  }

  // Buttons that look at a part of a chart or colour it another way; the first is what is shown.
  function addButtons(chart, kind, choice, show) {
    const place = document.querySelector(`.views[data-of="${kind}"][data-for="${chart.id}"]`);
    if (!place) return;
    const buttons = choice.map((option, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = option.label;
      button.setAttribute("aria-pressed", String(index === 0));
      button.addEventListener("click", () => {
        show(option);
        buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
      });
      place.append(button);
      return button;
    });
  }

  // Downloads come out of the page itself; what is no JSON stands in it as a JSON string, and so does
  // what is packed: gzip in base64.
  for (const button of document.querySelectorAll("button[data-source]")) {
    button.addEventListener("click", async () => {
      const { source, type, name, packed } = button.dataset;
      const held = document.getElementById(source).textContent;
      const plain = type === "application/json" && packed === undefined;
      const text = plain ? unescaped(held) : JSON.parse(held);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(packed === undefined ? new Blob([text], { type }) : await unpacked(text, type));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  async function unpacked(base64, type) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Blob([await new Response(text).blob()], { type });
  }

  // JSON stands in the page with each < as \u003c, which no file of ours has.
  function unescaped(json) {
    return json.replace(/\\(?:u003c|.)/g, (escape) => (escape === "\\u003c" ? "<" : escape));
  }

  // Paper is narrower than most windows: charts are redrawn to fit, and back.
  const paperWidth = (chart) => (chart.closest(".pairs") ? 335 : 680);
  const each = (change) => Object.keys(figures).forEach((id) => change(document.getElementById(id)));
  window.addEventListener("beforeprint", () =>
    each((chart) =>
      Plotly.relayout(chart, { autosize: false, width: paperWidth(chart) }),
    ),
  );
  window.addEventListener("afterprint", () =>
    each((chart) => Plotly.relayout(chart, { autosize: true, width: null })),
  );
})();
