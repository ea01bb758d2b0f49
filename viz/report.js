"use strict";
(function () {
  var looks = JSON.parse(document.getElementById("looks").textContent);
  var night = window.matchMedia("(prefers-color-scheme: dark)");
  var printing = false;
  var plots = Array.prototype.slice.call(document.querySelectorAll(".plot"));
  // The buttons are named one by one: a newer Plotly adds some that send the chart to a server.
  var buttons = [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"], ["toImage"]];
  function config(plot) {
    return { responsive: true, displaylogo: false, plotlyServerURL: "", modeBarButtons: plot.classList.contains("over-time") ? buttons : [["toImage"]] };
  }

  function look() {
    return night.matches && !printing ? looks.night : looks.paper;
  }

  function timeAxes(plot) {
    return Object.keys(plot._fullLayout || {}).filter(function (key) { return /^xaxis\d*$/.test(key); });
  }

  // One range for all charts over time: what is zoomed in one is zoomed in the others.
  var moving = false;
  function show(range, except) {
    moving = true;
    var moved = plots.filter(function (plot) { return plot.classList.contains("over-time") && plot !== except; }).map(function (plot) {
      var change = {};
      timeAxes(plot).forEach(function (axis) {
        change[axis + (range ? ".range" : ".autorange")] = range ? range.slice() : true;
      });
      return Plotly.relayout(plot, change);
    });
    Promise.all(moved).then(function () { moving = false; });
  }

  function follow(plot) {
    plot.on("plotly_relayout", function (change) {
      if (moving) { return; }
      var keys = Object.keys(change);
      var from = keys.filter(function (key) { return /^xaxis\d*\.range\[0\]$/.test(key); })[0];
      var whole = keys.filter(function (key) { return /^xaxis\d*\.range$/.test(key); })[0];
      if (from) {
        show([change[from], change[from.replace("[0]", "[1]")]], plot);
      } else if (whole) {
        show(change[whole], plot);
      } else if (keys.some(function (key) { return /^xaxis\d*\.autorange$/.test(key) && change[key]; })) {
        show(null, plot);
      }
    });
  }

  plots.forEach(function (plot) {
    var figure = JSON.parse(document.getElementById(plot.id + "-data").textContent);
    figure.layout.template = look();
    Plotly.newPlot(plot, figure.data, figure.layout, config(plot)).then(function () {
      plot.dataset.drawn = "yes";
      if (plot.classList.contains("over-time")) { follow(plot); }
    });
  });

  function repaint() {
    plots.forEach(function (plot) { Plotly.relayout(plot, { template: look() }); });
  }
  night.addEventListener("change", repaint);

  Array.prototype.forEach.call(document.querySelectorAll(".ranges button"), function (button) {
    button.addEventListener("click", function () { show([button.dataset.from, button.dataset.to], null); });
  });

  // A link into something folded away unfolds it; paper shows everything, in its own colours.
  function unfold() {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") { node.open = true; }
    }
    if (target) { target.scrollIntoView(); }
  }
  window.addEventListener("hashchange", unfold);
  unfold();
  var closed = [];
  window.addEventListener("beforeprint", function () {
    closed = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    closed.forEach(function (details) { details.open = true; });
    printing = true;
    repaint();
  });
  window.addEventListener("afterprint", function () {
    closed.forEach(function (details) { details.open = false; });
    printing = false;
    repaint();
  });
})();
