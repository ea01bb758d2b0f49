"use strict";
(function () {
  function all(selector, within) { return Array.prototype.slice.call((within || document).querySelectorAll(selector)); }

  // --- the zone: the page has its times in UTC; one offset moves all of them, before anything else reads them --------------------

  var zones = document.querySelector(".zone"), ahead = 0;
  function offset_name(minutes) {
    function two(number) { return (number < 10 ? "0" : "") + number; }
    var size = Math.abs(minutes);
    return minutes ? "UTC" + (minutes < 0 ? "-" : "+") + two(Math.floor(size / 60)) + ":" + two(size % 60) : "UTC";
  }
  function at(day, clock) {
    var then = new Date(Date.parse(day + "T" + clock + "Z") + ahead * 60000);
    return isNaN(then) ? [day, clock] : [then.toISOString().slice(0, 10), then.toISOString().slice(11, 11 + clock.length)];
  }
  var times = /(\d{4}-\d\d-\d\d)([ T])([0-2]\d:[0-5]\d(?::[0-5]\d)?)(?![.:\d]*Z)|(^|[^\w:.-])([0-2]\d:[0-5]\d:[0-5]\d)(?![\d:])|\bUTC\b/g;
  function moved(text) {
    return text.replace(times, function (found, day, gap, of_day, before, clock) {
      if (clock) { return before + at("2000-01-02", clock)[1]; }
      if (day) { return at(day, of_day).join(gap); }
      return offset_name(ahead);
    });
  }
  function moved_all(value) {
    if (typeof value === "string") { return moved(value); }
    if (Array.isArray(value)) { return value.map(moved_all); }
    if (value && typeof value === "object") { Object.keys(value).forEach(function (key) { value[key] = moved_all(value[key]); }); }
    return value;
  }
  function move_page() {
    all(".plot").forEach(function (plot) {
      var data = document.getElementById(plot.id + "-data");
      data.textContent = JSON.stringify(moved_all(JSON.parse(data.textContent)));
    });
    all("time[datetime] .quiet").forEach(function (day) {
      var whole = day.closest("time").getAttribute("datetime");
      day.textContent = at(whole.slice(0, 10), whole.slice(11, 16))[0];
    });
    var texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), text;
    while ((text = texts.nextNode())) {
      if (/\d:\d|UTC/.test(text.data) && !text.parentNode.closest("script, style, code, pre, .message, .zone")) { text.data = moved(text.data); }
    }
    ["data-from", "data-to", "data-copy", "data-said", "aria-label", "title"].forEach(function (name) {
      all("[" + name + "]").forEach(function (element) { element.setAttribute(name, moved(element.getAttribute(name))); });
    });
  }
  (function () {
    if (!zones || location.protocol === "about:") { return; }  // in a notebook the page has no address
    var asked = (/[?&]tz=(-?\d+)/.exec(location.search) || [])[1], here = -new Date(zones.dataset.begin).getTimezoneOffset();
    ahead = asked && Math.abs(asked) < 1440 ? +asked : 0;
    if (ahead) { move_page(); }
    zones.hidden = !here && !ahead;
    all("button", zones).forEach(function (button, i) {
      var minutes = i ? here || ahead : 0;
      button.textContent = offset_name(minutes) + (i && minutes === here ? ", this browser's zone then" : "");
      button.setAttribute("aria-pressed", String(minutes === ahead));
      button.addEventListener("click", function () { location.search = minutes ? "?tz=" + minutes : ""; });
    });
  })();

  var looks = JSON.parse(document.getElementById("looks").textContent);
  var carried = JSON.parse(document.getElementById("carried").textContent);
  if (ahead) {
    Object.keys(carried.lines).forEach(function (id) { carried.lines[id][1] = carried.lines[id][1] && moved(carried.lines[id][1]); });
    carried.topics.texts = moved_all(carried.topics.texts);
    carried.context.runs.forEach(function (run) {
      run.forEach(function (record) { record[1] = record[1].replace(/^[^A-Z]*/, moved); });
    });
  }
  var night = window.matchMedia("(prefers-color-scheme: dark)");
  var printing = false;
  var plots = all(".plot");
  // The buttons are named one by one: a newer Plotly adds some that send the chart to a server.
  var config = { responsive: true, displaylogo: false, plotlyServerURL: "", modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"], ["toImage"]] };

  function look() { return night.matches && !printing ? looks.night : looks.paper; }
  function drawn() { return plots.filter(function (plot) { return plot.dataset.drawn; }); }

  // --- charts: drawn when their fold is open and in view; one range and one cursor for all -----------------------------------------

  function timeAxes(plot) {
    return Object.keys(plot._fullLayout || {}).filter(function (key) { return /^xaxis\d*$/.test(key); });
  }

  var moving = false;
  function show(range, except) {
    moving = true;
    var moved = drawn().filter(function (plot) { return plot !== except; }).map(function (plot) {
      var change = {};
      timeAxes(plot).forEach(function (axis) {
        change[axis + (range ? ".range" : ".autorange")] = range ? range.slice() : true;
      });
      return Plotly.relayout(plot, change);
    });
    return Promise.all(moved).then(function () { moving = false; });
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

  // On a narrow screen, row names are shortened, fault names are left out (the strip has them), and the legend is one column.
  function make_narrow(figure) {
    var layout = figure.layout;
    layout.margin.l = 96;
    var entries = layout.showlegend ? figure.data.filter(function (trace) { return trace.showlegend !== false && trace.name; }).length : 0;
    var below = 62 + 21 * entries;
    layout.height += below - layout.margin.b;
    layout.margin.b = below;
    if (entries) { layout.legend = Object.assign({}, layout.legend, { x: 0, xref: "container", entrywidth: 220 }); }
    layout.annotations = (layout.annotations || []).filter(function (note) { return note.xanchor !== "right" || note.x !== 0; });
    Object.keys(layout).forEach(function (key) {
      if (/^yaxis\d*$/.test(key) && layout[key].ticktext) {
        layout[key].ticktext = layout[key].ticktext.map(function (name) { return name.replace(/, acks=(\w+)$/, " $1"); }).map(function (name) { return name.length > 13 ? name.slice(0, 6) + "…" + name.slice(-6) : name; });
      }
      if (/^xaxis\d*$/.test(key)) { layout[key].nticks = 4; }
    });
  }

  function plain(html) {
    return new DOMParser().parseFromString(String(html || "").replace(/<br>/g, "\n"), "text/html").body.textContent;
  }

  var on_paper = { width: 1240, autosize: false };
  function is_open(plot) { var fold = plot.closest("details:not([open])"); return !fold; }

  // Controls that belong together are one tab stop; arrow keys move between them.
  function one_stop(group, selector) {
    all(selector, group).forEach(function (control, at) { control.tabIndex = at ? -1 : 0; });
    if (group.dataset.stops) { return; }
    group.dataset.stops = "one";
    group.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], controls = all(selector, group);
      var at = controls.indexOf(document.activeElement), to = controls[at + step];
      if (!step || at < 0 || !to) { return; }
      event.preventDefault();
      event.stopPropagation();
      controls[at].tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    });
  }
  all(".small-timeline").forEach(function (strip) { one_stop(strip, ".mark"); });

  function draw(plot) {
    if (plot.dataset.drawn || plot.dataset.begun) { return; }
    plot.dataset.begun = "yes";
    var figure = JSON.parse(document.getElementById(plot.id + "-data").textContent);
    figure.layout.template = look();
    if (printing) { Object.assign(figure.layout, on_paper); } else if (window.innerWidth < 760) { make_narrow(figure); }
    var first = drawn()[0];
    if (first && figure.layout.xaxis) {
      Object.keys(figure.layout).forEach(function (key) {
        if (/^xaxis\d*$/.test(key)) { figure.layout[key].range = first._fullLayout.xaxis.range.slice(); }
      });
    }
    Plotly.newPlot(plot, figure.data, figure.layout, config).then(function () {
      plot.dataset.drawn = "yes";
      follow(plot);
      plot.on("plotly_click", function (event) {
        var point = event.points[0];
        open_lines(point && point.customdata);
      });
      plot.on("plotly_clickannotation", function (event) {
        if (event.annotation.name) { location.hash = event.annotation.name; }
      });
      cursor(plot);
      walk(plot);
      narrow(plot);
      one_stop(plot, ".modebar-btn");
    });
  }

  // The page contains the drawing script compressed; the page's policy has its hash, so no other script can replace it.
  function unpack() {
    var packed = atob(document.getElementById("plotly").textContent), bytes = new Uint8Array(packed.length);
    for (var i = 0; i < packed.length; i += 1) { bytes[i] = packed.charCodeAt(i); }
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text().then(function (text) {
      var script = document.createElement("script");
      script.textContent = text;
      document.head.appendChild(script);
    });
  }
  function draw_all() {
    var waiting = plots.filter(function (plot) {
      var fold = plot.closest("details");
      if (fold) { fold.addEventListener("toggle", function () { if (fold.open) { draw(plot); } }); }
      return is_open(plot);
    });
    // One after the other, so that the page stays responsive.
    (function next() {
      var plot = waiting.shift();
      if (plot) {
        draw(plot);
        setTimeout(next);
      }
    })();
  }
  if (plots.length) {
    Promise.resolve().then(unpack).then(draw_all).catch(function () {
      all(".at").forEach(function (at) { at.textContent = "This browser cannot draw the charts. The tables below show the same data."; });
    });
  }

  // One cursor in time over all charts.
  var lines = [];
  function cursor(plot) {
    var line = document.createElement("div");
    line.className = "cursor";
    line.hidden = true;
    plot.appendChild(line);
    lines.push([plot, line]);
    plot.addEventListener("mousemove", function (event) {
      var axis = plot._fullLayout.xaxis;
      var x = event.clientX - plot.getBoundingClientRect().left - axis._offset;
      place(x < 0 || x > axis._length ? null : axis.p2d(x));
    });
    plot.addEventListener("mouseleave", function () { place(null); });
  }
  function place(time) {
    lines.forEach(function (pair) {
      var axis = pair[0]._fullLayout.xaxis, line = pair[1];
      var x = time === null ? -1 : axis.d2p(time);
      line.hidden = x < 0 || x > axis._length;
      if (!line.hidden) {
        line.style.left = axis._offset + x + "px";
        line.dataset.time = String(time).slice(11, 23);
        line.classList.toggle("left", x > axis._length - 90);
      }
    });
  }

  // The keyboard goes from mark to mark of a chart in the order of time, and opens its lines.
  function walk(plot) {
    var box = plot.closest(".wide"), at = document.getElementById(box.dataset.chart + "-at");
    var ring = document.createElement("div");
    ring.className = "chosen-mark";
    ring.hidden = true;
    plot.appendChild(ring);
    var now = -1;
    function marks() {
      var found = [], range = plot._fullLayout.xaxis.range.map(function (t) { return plot._fullLayout.xaxis.d2c(t); });
      plot._fullData.forEach(function (trace) {
        if (trace.visible !== true) { return; }
        (trace.hovertext || []).forEach(function (text, i) {
          if (!text) { return; }
          var from = plot._fullLayout.xaxis.d2c(trace.type === "bar" ? trace.base[i] : trace.x[i]);
          var to = trace.type === "bar" ? from + trace.x[i] : from;
          if (to < range[0] || from > range[1]) { return; }
          found.push({ time: Math.max(from, range[0]), to: Math.min(to, range[1]), y: trace.y[i], axis: trace.yaxis || "y", text: text, lines: trace.customdata && trace.customdata[i] });
        });
      });
      return found.sort(function (a, b) { return a.time - b.time || a.y - b.y; });
    }
    box.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.target !== box || (!step && event.key !== "Enter" && event.key !== "Home" && event.key !== "End")) { return; }
      var some = marks();
      if (!some.length) { return; }
      event.preventDefault();
      if (event.key === "Enter") {
        if (some[now]) { open_lines(some[now].lines, box); }
        return;
      }
      now = event.key === "Home" ? 0 : event.key === "End" ? some.length - 1 : Math.min(some.length - 1, Math.max(0, now + step));
      var mark = some[now], x = plot._fullLayout.xaxis, y = plot._fullLayout[mark.axis.replace("y", "yaxis")];
      ring.hidden = false;
      ring.style.left = x._offset + x.c2p((mark.time + mark.to) / 2) + "px";
      ring.style.top = y._offset + y.d2p(mark.y) + "px";
      at.textContent = plain(mark.text).replace(/\n/g, " · ") + " (" + (now + 1) + " of " + some.length + (mark.lines ? ", Enter shows its lines)" : ")");
    });
    box.addEventListener("blur", function () { ring.hidden = true; at.textContent = ""; });
  }

  function repaint() {
    drawn().forEach(function (plot) { Plotly.relayout(plot, { template: look() }); });
  }
  night.addEventListener("change", repaint);

  all(".ranges button, .shift a[data-from]").forEach(function (chosen) {
    chosen.addEventListener("click", function () { show([chosen.dataset.from, chosen.dataset.to], null); });
  });

  // --- the address: a place of the page, or the open lines and the filter --------------------- -------------------------------

  function state() {
    var told = {};
    if (location.hash.indexOf("=") > 0) {
      location.hash.slice(1).split("&").forEach(function (part) {
        var at = part.indexOf("=");
        told[part.slice(0, at)] = part.slice(at + 1);
      });
    }
    return told;
  }
  function set_state(told) {
    var parts = Object.keys(told).filter(function (key) { return told[key]; }).map(function (key) { return key + "=" + told[key]; });
    history.replaceState(null, "", parts.length ? "#" + parts.join("&") : location.pathname + location.search);
    react();
  }
  function decoded(text) {
    try { return decodeURIComponent(text); } catch (error) { return text; }
  }

  // --- the records around a line of evidence -----------------------------------------------------------------------------------------

  var around = 3;
  function add_context(item) {
    var at = item.dataset.at, where = carried.context.places[at];
    if (!where) { return; }
    var run = carried.context.runs[where[0]], from = Math.max(0, where[1] - around), some = run.slice(from, where[1] + around + 1);
    if (some.length < 2) { return; }
    var fold = document.createElement("details"), summary = document.createElement("summary"), text = document.createElement("pre");
    fold.className = "context";
    summary.textContent = "context";
    summary.setAttribute("aria-label", "context: recognized records before and after " + at);
    fold.appendChild(summary);
    fold.addEventListener("toggle", function () {
      if (text.parentNode) { return; }
      some.forEach(function (record, i) {
        var line = document.createElement(from + i === where[1] ? "strong" : "span");
        line.textContent = record[0] + "  " + record[1] + "\n";
        text.appendChild(line);
      });
      fold.appendChild(text);
    });
    item.appendChild(fold);
  }
  all(".lines li[data-at]").forEach(add_context);

  // --- the lines behind a mark --------------------------------------------------------------------------------------------------------

  var panel = document.getElementById("evidence"), said_of = document.getElementById("evidence-said");
  var list = panel.querySelector("ol"), status = panel.querySelector("[role=status]"), came_from = null;
  var told_by_link = null;

  function open_lines(link, from) {
    if (!link) { return; }
    came_from = from || document.activeElement;
    var told = state();
    told.lines = link;
    set_state(told);
  }

  // The subject of a link: the text of the first mark, card or row that opens these lines.
  function subject(link) {
    if (!told_by_link) {
      told_by_link = {};
      plots.forEach(function (plot) {
        JSON.parse(document.getElementById(plot.id + "-data").textContent).data.forEach(function (trace) {
          (trace.customdata || []).forEach(function (lines, i) {
            if (lines && !told_by_link[lines]) { told_by_link[lines] = plain((trace.hovertext || [])[i]); }
          });
        });
      });
      all("a[data-said]").forEach(function (a) {
        var link = a.getAttribute("href").slice(7);
        told_by_link[link] = told_by_link[link] || a.dataset.said;
      });
      all(".finding .ev").forEach(function (a) {
        told_by_link[a.getAttribute("href").slice(7)] = a.closest(".finding").querySelector("h4").textContent;
      });
    }
    return told_by_link[link] || "";
  }

  function span(name, text) {
    var element = document.createElement(name === "code" ? "code" : "span");
    element.className = name === "code" ? "place" : name;
    element.textContent = text;
    return element;
  }

  function show_lines(link) {
    if (!link) {
      panel.hidden = true;
      return;
    }
    list.textContent = "";
    said_of.textContent = subject(link);
    status.textContent = "";
    link.split(",").map(decoded).forEach(function (id) {
      var line = carried.lines[id], item = document.createElement("li");
      item.dataset.at = line ? line[0] : id;
      item.appendChild(span("code", line ? line[0] : id));
      if (line) {
        var node = line[2] === null ? "" : (carried.brokers.indexOf(line[2]) < 0 ? "node " : "broker ") + line[2];
        item.appendChild(span("quiet", " " + [line[1], node, line[3]].filter(Boolean).join(" · ")));
        item.appendChild(span("message", line[4]));
      } else {
        item.appendChild(span("quiet", " text not included in this page"));
      }
      add_context(item);
      list.appendChild(item);
    });
    panel.hidden = false;
    panel.querySelector("h2").focus({ preventScroll: true });
  }

  function close_lines() {
    var told = state();
    delete told.lines;
    set_state(told);
    if (came_from && came_from.focus) { came_from.focus({ preventScroll: true }); }
  }

  function copy(text, told) {
    function done() { (told || status).textContent = "copied"; }
    function by_hand() {
      var area = document.createElement("textarea");
      area.value = text;
      document.body.appendChild(area);
      area.select();
      try { document.execCommand("copy"); done(); } finally { document.body.removeChild(area); }
    }
    if (navigator.clipboard) { navigator.clipboard.writeText(text).then(done, by_hand); } else { by_hand(); }
  }

  all("[data-copy]").forEach(function (button) {
    button.addEventListener("click", function () { copy(button.dataset.copy, button.parentElement.querySelector("[role=status]")); });
  });
  panel.addEventListener("click", function (event) {
    var what = event.target.dataset && event.target.dataset.do;
    if (what === "close") { close_lines(); }
    if (what === "link") { copy(location.href); }
    if (what === "copy") {
      copy(all("li", list).map(function (item) {
        return all(":scope > :not(details)", item).map(function (part) { return part.textContent.trim(); }).join(" ");
      }).join("\n"));
    }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key !== "Escape") { return; }
    if (!panel.hidden) {
      close_lines();
    } else if (filters.open) {
      filters.open = false;
      filters.querySelector("summary").focus();
    }
  });
  document.addEventListener("click", function (event) {
    var link = event.target.closest && event.target.closest("a[href^='#lines=']");
    if (link) {
      event.preventDefault();
      open_lines(link.getAttribute("href").slice(7), link);
    }
  });

  // --- tables: each sorts by its headers, and can be copied or saved ------------------------------------------------------------------

  function cell_text(cell) {
    var time = cell.querySelector("time[datetime]");
    return time ? time.getAttribute("datetime") : cell.innerText.replace(/\s+/g, " ").trim();
  }
  // A row with one wide cell belongs to the row above it.
  function groups_of(body) {
    return all(":scope > tr", body).reduce(function (groups, row) {
      if (groups.length && row.querySelector("[colspan]")) { groups[groups.length - 1].push(row); } else { groups.push([row]); }
      return groups;
    }, []);
  }
  function in_order(one, other) {
    var a = one.replace(/,/g, ""), b = other.replace(/,/g, "");
    return a !== "" && b !== "" && !isNaN(a) && !isNaN(b) ? a - b : one.localeCompare(other, "en", { numeric: true });
  }
  function sort_by(table, head) {
    var at = head.cellIndex, down = head.getAttribute("aria-sort") === "ascending", body = table.tBodies[0];
    var keyed = groups_of(body).map(function (rows, place) { return [cell_text(rows[0].cells[at]), place, rows]; });
    keyed.sort(function (a, b) { return (down ? -1 : 1) * in_order(a[0], b[0]) || a[1] - b[1]; });
    all("th", table.tHead).forEach(function (one) { one.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    keyed.forEach(function (one) { one[2].forEach(function (row) { body.appendChild(row); }); });
  }
  function lines_of(table) {
    return [all("th", table.tHead)].concat(all(":scope > tr", table.tBodies[0]).map(function (row) { return all("td", row); }));
  }
  function as_csv(table) {
    return lines_of(table).map(function (cells) {
      return cells.map(function (cell) {
        var text = cell_text(cell);
        // A spreadsheet would run a text from a log that begins like a formula.
        if (/^(=|@|[+-](?![\d.]))/.test(text)) { text = "'" + text; }
        return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
      }).join(",");
    }).join("\r\n") + "\r\n";
  }
  function save(table) {
    var link = document.createElement("a"), place = table.closest("[id]");
    link.href = URL.createObjectURL(new Blob([as_csv(table)], { type: "text/csv" }));
    link.download = (place ? place.id : "table") + ".csv";
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }
  function button(text, act) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  }
  // Headers become buttons when somebody is near: a large page has thousands of them in its folds.
  function equip(table) {
    if (table.dataset.equipped) { return; }
    table.dataset.equipped = "yes";
    all("th", table.tHead).forEach(function (head) {
      var name = button(head.textContent, function () { sort_by(table, head); });
      head.textContent = "";
      head.appendChild(name);
    });
    var take = document.createElement("p"), said = span("quiet", "");
    take.className = "take";
    said.setAttribute("role", "status");
    take.append(
      button("Copy table", function () { copy(lines_of(table).map(function (cells) { return cells.map(cell_text).join("\t"); }).join("\n"), said); }),
      " ", button("CSV", function () { save(table); }), " ", said
    );
    table.closest(".scroll").after(take);
    one_stop(table.tHead, "th button");
    one_stop(take, "button");
  }
  function equip_open(within) {
    all(".scroll > table", within).filter(function (table) { return !table.closest("details:not([open])"); }).forEach(equip);
  }
  equip_open();
  all("main details").forEach(function (fold) { fold.addEventListener("toggle", function () { if (fold.open) { equip_open(fold); } }); });

  // --- find and filter ----------------------------------------------------------------------------------------------------------------

  var form = document.querySelector(".filters form"), filters = document.querySelector(".filters");
  var output = form.querySelector("output"), items = null, opened = [];
  var names = ["topic"].concat(all("select", form).map(function (select) { return select.name; }));
  var bar = document.querySelector(".filtered"), topics = carried.topics;
  topics.names.forEach(function (name) {
    document.getElementById("topics").appendChild(document.createElement("option")).value = name;
  });

  // The list of all topics is made when somebody opens it: a large cluster has thousands of them.
  var every_topic = document.getElementById("all-topics");
  if (every_topic) {
    every_topic.addEventListener("toggle", function () {
      if (!every_topic.open || every_topic.querySelector("ol")) { return; }
      var list = document.createElement("ol");
      topics.names.forEach(function (name, at) {
        var item = list.appendChild(document.createElement("li"));
        item.appendChild(document.createElement("code")).textContent = name;
        item.append(": " + topics.texts[topics.told[at]]);
      });
      every_topic.querySelector("p").replaceWith(list);
    });
  }

  // Rows identify a topic by a key; a partly typed name matches all topics that begin with it.
  function key_of(name, value) {
    return name !== "topic" || !value ? value : "t:" + encodeURIComponent(value).replace(/[!'()*]/g, function (c) { return "%" + c.charCodeAt(0).toString(16).toUpperCase(); });
  }
  function value_of(name, key) { return name === "topic" ? decoded(key.slice(2)) : key; }
  function is_in(keys, key) {
    var whole = key.slice(0, 2) !== "t:" || topics.names.indexOf(decoded(key.slice(2))) >= 0;
    return keys.indexOf(" " + key + (whole ? " " : "")) >= 0;
  }

  // The answer for the requested broker, partition or topic, whether the page lists it or not; if it lists nothing, the
  // command that does.
  function about(asked, shown) {
    if (!asked) { return ""; }
    var named = all(".story").filter(function (story) { return story.dataset.name === asked.toLowerCase().trim(); })[0];
    var topic = topics.names.indexOf(asked) >= 0 ? asked : asked.replace(/-\d+$/, "");
    var at = topics.names.indexOf(topic), number = /^broker (\d+)$/.exec(asked.toLowerCase().trim());
    if (named) { return ". " + named.querySelector("summary").textContent.replace(/\s+/g, " ").trim().replace(/\.$/, "") + ". For details: kafka-replay " + (number ? "broker RESULT " + number[1] : "partition RESULT " + asked); }
    if (number && carried.brokers.indexOf(+number[1]) < 0) { return ". No broker of the result has this id."; }
    if (number) { return ". For what happened to it: kafka-replay broker RESULT " + number[1]; }
    var partition = topic === asked ? topic + "-0" : asked;
    if (at >= 0) { return ". " + topic + ": " + topics.texts[topics.told[at]] + ". For details: kafka-replay partition RESULT " + partition; }
    return shown ? "" : ". No topic of the result has this name.";
  }

  function filter(told) {
    var wanted = names.map(function (name) { return decoded(told[name] || ""); }).filter(Boolean);
    var text = decoded(told.q || "").toLowerCase();
    var active = wanted.length > 0 || text !== "";
    filters.classList.toggle("on", active);
    if (!active && !items) { return; }
    // The filter never applies to the summary: an empty table there would claim that nothing was down or lost.
    items = items || all(".finding, .story, tbody tr, a.card").filter(function (element) { return !element.closest("#summary"); }).map(function (element) {
      return [element, element.dataset.k === undefined ? null : " " + element.dataset.k + " ", element.textContent.toLowerCase()];
    });
    opened.forEach(function (fold) { fold.open = false; });
    opened = [];
    hit = -1;
    all(".hit").forEach(function (element) { element.classList.remove("hit"); });
    var shown = 0, counted = 0;
    items.forEach(function (item) {
      var fits = (text === "" || item[2].indexOf(text) >= 0) && (item[1] === null || wanted.every(function (key) { return is_in(item[1], key); }));
      item[0].classList.toggle("out", !fits);
      if (item[1] !== null || text) {
        counted += 1;
        shown += fits ? 1 : 0;
      }
      if (fits && active && item[1] !== null) {
        for (var fold = item[0].parentElement && item[0].parentElement.closest("details"); fold; fold = fold.parentElement.closest("details")) {
          if (!fold.open && !fold.classList.contains("chart")) { fold.open = true; opened.push(fold); }
        }
      }
    });
    output.textContent = "";
    var told_count = shown + " of " + counted + " findings, partitions, brokers, cards and rows";
    var topic = decoded(told.topic || "").slice(2), values = names.map(function (name) { return told[name] ? value_of(name, decoded(told[name])).replace(/^[bcs]:/, "") : ""; });
    bar.hidden = !active;
    bar.querySelector("span").textContent = active ? "Filtered: " + values.concat(decoded(told.q || "")).filter(Boolean).join(", ") + ": " + told_count
      + about(topic ? decoded(topic) : told.broker ? "broker " + decoded(told.broker).slice(2) : decoded(told.q || ""), shown) : "";
  }
  bar.querySelector("button").addEventListener("click", function () { form.reset(); });

  // Charts show the rows of the requested topic.
  function narrow(plot) {
    var rows = plot.layout.meta && plot.layout.meta.topics, axis = plot.layout.meta && plot.layout.meta.axis;
    if (!rows) { return; }
    var topic = decoded(state().topic || "").slice(2), from = 0, to = rows.length - 1;
    if (topic) {
      var mine = rows.map(function (name, i) { return encodeURIComponent(name) === topic || name === decoded(topic) ? i : -1; }).filter(function (i) { return i >= 0; });
      if (mine.length) { from = mine[0]; to = mine[mine.length - 1]; }
    }
    var range = [to + 0.6, from - 0.6], now = plot._fullLayout[axis].range;
    if (now[0] !== range[0] || now[1] !== range[1]) {
      var change = {};
      change[axis + ".range"] = range;
      Plotly.relayout(plot, change);
    }
  }

  function from_form() {
    var told = state();
    delete told.lines;
    names.concat("q").forEach(function (name) { told[name] = encodeURIComponent(key_of(name, form.elements[name].value.trim())); });
    set_state(told);
  }
  form.addEventListener("input", from_form);
  // Enter goes to the next hit, Shift and Enter to the one before.
  var hit = -1;
  function go(step) {
    var hits = (items || []).filter(function (item) { return item[2] !== "" && !item[0].classList.contains("out"); }).map(function (item) { return item[0]; });
    all(".hit").forEach(function (element) { element.classList.remove("hit"); });
    if (!hits.length || !filters.classList.contains("on")) { return; }
    hit = (hit + step + hits.length) % hits.length;
    for (var node = hits[hit]; node; node = node.parentElement) {
      if (node.tagName === "DETAILS" && !node.open) { node.open = true; opened.push(node); }
    }
    hits[hit].classList.add("hit");
    hits[hit].scrollIntoView({ block: "center" });
    output.textContent = (hit + 1) + " of " + hits.length;
  }
  form.addEventListener("submit", function (event) { event.preventDefault(); go(1); });
  form.addEventListener("keydown", function (event) {
    if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); go(-1); }
  });
  form.addEventListener("reset", function () { setTimeout(from_form); });

  var last_filter = "";
  function react() {
    var told = state();
    show_lines(told.lines);
    names.concat("q").forEach(function (name) {
      var value = value_of(name, decoded(told[name] || ""));
      if (form.elements[name].value.trim() !== value) { form.elements[name].value = value; }
    });
    var now = JSON.stringify(names.concat("q").map(function (name) { return told[name] || ""; }));
    if (now !== last_filter) {
      last_filter = now;
      filter(told);
      drawn().forEach(narrow);
    }
    unfold();
  }

  // A link into a folded part unfolds it.
  function unfold() {
    if (location.hash.length < 2 || location.hash.indexOf("=") > 0) { return; }
    var target = document.getElementById(decoded(location.hash.slice(1)));
    for (var node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") { node.open = true; }
      if (node.classList.contains("folded")) { node.querySelector("details").open = true; }
    }
    if (target) { target.scrollIntoView(); }
  }
  window.addEventListener("hashchange", react);
  react();

  // --- while `watch` follows the logs the page reloads itself and keeps its state -------------------------------------------

  var watched = document.querySelector(".watched"), KEPT = "kafka-replay " + location.pathname;

  function fold_key(fold) {
    return fold.closest("[id]").id + " " + fold.querySelector("summary").textContent.replace(/[\d.,:]+/g, "").trim();
  }
  function keep(was_open) {
    var above = all("main section[id]").filter(function (part) { return part.getBoundingClientRect().top <= 0; }).pop();
    var folds = all("main details").filter(function (fold) { return fold.open !== was_open[fold_key(fold)]; });
    var place = above ? above.getBoundingClientRect().top : -window.scrollY;
    sessionStorage.setItem(KEPT, JSON.stringify({ above: above && above.id, place: place, folds: folds.map(function (fold) { return [fold_key(fold), fold.open]; }) }));
  }
  function come_back(kept) {
    all("main details").forEach(function (fold) {
      kept.folds.forEach(function (one) { if (one[0] === fold_key(fold)) { fold.open = one[1]; } });
    });
    var above = kept.above && document.getElementById(kept.above);
    window.scrollTo({ top: (above ? above.getBoundingClientRect().top + window.scrollY : 0) - kept.place, behavior: "instant" });
  }
  function follow_logs() {
    var began = Date.now(), was_open = {};
    all("main details").forEach(function (fold) { was_open[fold_key(fold)] = fold.open; });
    try {
      var kept = sessionStorage.getItem(KEPT);
      sessionStorage.removeItem(KEPT);
      if (kept) {
        history.scrollRestoration = "manual";
        come_back(JSON.parse(kept));
      }
    } catch (error) { /* a browser that keeps nothing for a file shows the page from its top */ }
    (function look_again() {
      var every = watched.dataset.every * 1000;
      // An analysis takes as long as its input needs; if the next one is long overdue, `watch` may have stopped.
      if (Date.now() - watched.dataset.moment > 5 * every + 600000) { watched.querySelector("span").textContent = "That is long ago: watch may have stopped."; }
      setTimeout(look_again, 2000);
      var reads = document.hidden || !panel.hidden || String(getSelection()) || form.contains(document.activeElement);
      if (Date.now() - began < every || reads) { return; }
      try { keep(was_open); } catch (error) { /* as above */ }
      location.reload();
    })();
  }
  if (watched) { follow_logs(); }

  // Print has its own colors, and a width that charts are drawn for. It has the sections that are open, and names the others.
  var for_paper = [];
  function leave_out_folded() {
    var folded = all(".section.folded").filter(function (section) {
      var out = section.id !== "losses" && !section.querySelector("details").open;
      section.classList.toggle("not-on-paper", out);
      return out;
    });
    document.querySelector(".left-out").textContent = folded.length === 0 ? "" : "Not printed, because folded on the page: "
      + folded.map(function (section) { return section.querySelector("h3").textContent; }).join(", ") + ". Open them before you print.";
  }
  // A chart in the colors of paper that has about its width is printed as it is: to draw a large one again takes seconds.
  function needs_paper(plot) { return night.matches || Math.abs(plot.offsetWidth - on_paper.width) > 40; }
  window.addEventListener("beforeprint", function () {
    printing = true;
    for_paper = all("#losses details:not([open])");
    for_paper.forEach(function (fold) { fold.open = true; });
    leave_out_folded();
    drawn().filter(needs_paper).forEach(function (plot) {
      plot.dataset.paper = "yes";
      Plotly.relayout(plot, Object.assign({ template: look() }, on_paper));
    });
    if (window.Plotly) { plots.filter(is_open).forEach(draw); }
  });
  window.addEventListener("afterprint", function () {
    printing = false;
    for_paper.forEach(function (fold) { fold.open = false; });
    all(".plot[data-paper]").forEach(function (plot) {
      delete plot.dataset.paper;
      Plotly.relayout(plot, { template: look(), width: null, autosize: true });
    });
  });
})();
