// Draws incidents on a Leaflet map: canvas marks, areas, legend, local base layer and names.
// Every text that arrives here has been through escape_text of incidents/map.py and is used as HTML exactly once.
(function () {
  "use strict";
  var THEMES = {
    light: { sea: "#d9e4ea", shore: "#b7ccd8", land: "#f8f6f1", border: "#a39d92", admin: "#cfc9bd", ink: "#1d2329", halo: "#ffffff", occupied: "#b9b2a6", mixed: "#3d4852" },
    dark: { sea: "#0e151b", shore: "#2b4152", land: "#1f2830", border: "#5b6975", admin: "#37434e", ink: "#0b0f13", halo: "#e8edf2", occupied: "#55626e", mixed: "#c5d0da" },
  };
  var KIND = { POINT: 0, COARSE: 1, GROUP: 2, NEAR: 3 };
  var state = { theme: "light", areas: {}, admin: {}, labels: [], named: [], marks: 0, shown: 0, updates: 0 };

  // ---- shapes -----------------------------------------------------------------------------------------------
  function polygon(ctx, x, y, r, n, turn) {
    for (var i = 0; i < n; i++) {
      var angle = turn + (i * 2 * Math.PI) / n;
      ctx[i ? "lineTo" : "moveTo"](x + r * Math.cos(angle), y + r * Math.sin(angle));
    }
    ctx.closePath();
  }
  function trace(ctx, shape, x, y, r) {
    ctx.beginPath();
    var up = -Math.PI / 2;
    if (shape === "square") ctx.rect(x - r * 0.86, y - r * 0.86, r * 1.72, r * 1.72);
    else if (shape === "triangle") polygon(ctx, x, y + r * 0.12, r * 1.2, 3, up);
    else if (shape === "triangle_down") polygon(ctx, x, y - r * 0.12, r * 1.2, 3, -up);
    else if (shape === "diamond") polygon(ctx, x, y, r * 1.2, 4, up);
    else if (shape === "plus" || shape === "cross") {
      var a = r * 0.42, b = r * 1.15, turn = shape === "cross" ? Math.SQRT1_2 : 0;
      [[-a, -b], [a, -b], [a, -a], [b, -a], [b, a], [a, a], [a, b], [-a, b], [-a, a], [-b, a], [-b, -a], [-a, -a]].forEach(
        function (p, i) {
          var q = turn ? [(p[0] - p[1]) * turn, (p[0] + p[1]) * turn] : p;
          ctx[i ? "lineTo" : "moveTo"](x + q[0], y + q[1]);
        });
      ctx.closePath();
    } else ctx.arc(x, y, r, 0, 2 * Math.PI);
  }
  // One mark. Filled: settlement or finer. Pale inside: deaths not stated. Dashed and pale: coarser than a settlement.
  function paint(ctx, x, y, o) {
    var theme = THEMES[state.theme];
    ctx.save();
    ctx.lineJoin = "round"; ctx.setLineDash([]); // a dashed area drawn before leaves its dashes behind
    trace(ctx, o.shape, x, y, o.radius);
    if (o.kind === KIND.COARSE) {
      ctx.globalAlpha = 0.9; ctx.fillStyle = theme.land; ctx.fill(); ctx.globalAlpha = 1;
      ctx.setLineDash([3, 2.5]); ctx.lineWidth = 2; ctx.strokeStyle = o.colour; ctx.stroke();
    } else {
      ctx.lineWidth = 3.4; ctx.strokeStyle = state.theme === "dark" ? theme.ink : theme.halo; ctx.stroke();
      ctx.fillStyle = o.unstated ? theme.land : o.colour; ctx.globalAlpha = o.kind === KIND.GROUP ? 0.92 : 1; ctx.fill();
      ctx.globalAlpha = 1; ctx.lineWidth = o.unstated ? 2.6 : 1.1;
      ctx.strokeStyle = o.unstated ? o.colour : (state.theme === "dark" ? theme.halo : theme.ink); ctx.stroke();
    }
    if (o.kind === KIND.NEAR) {
      ctx.beginPath(); ctx.arc(x, y, o.radius + 4.5, 0, 2 * Math.PI); ctx.setLineDash([1.5, 3]);
      ctx.lineWidth = 1.5; ctx.strokeStyle = o.colour; ctx.stroke();
    }
    ctx.setLineDash([]);
    if (o.label) {
      ctx.textAlign = "center"; ctx.textBaseline = "middle"; ctx.font = "700 11px system-ui, sans-serif";
      ctx.fillStyle = "#ffffff"; ctx.fillText(o.label, x, y + 0.5);
    }
    if (o.count > 1) {
      ctx.textAlign = "center"; ctx.textBaseline = "middle";
      if (o.kind === KIND.GROUP) {
        ctx.font = "600 12px system-ui, sans-serif"; ctx.fillStyle = state.theme === "dark" ? "#0b0f13" : "#ffffff";
        ctx.fillText(short(o.count), x, y + 0.5);
      } else {
        var text = short(o.count), bx = x + o.radius * 0.9, by = y - o.radius * 0.9;
        ctx.font = "700 10px system-ui, sans-serif";
        var w = Math.max(15, ctx.measureText(text).width + 8);
        ctx.beginPath(); ctx.roundRect(bx - w / 2, by - 7.5, w, 15, 7.5);
        ctx.fillStyle = state.theme === "dark" ? "#f2f5f8" : "#14191e"; ctx.fill();
        ctx.fillStyle = state.theme === "dark" ? "#14191e" : "#ffffff"; ctx.fillText(text, bx, by + 0.5);
      }
    }
    ctx.restore();
  }
  function short(n) { return n < 1000 ? String(n) : n < 10000 ? (n / 1000).toFixed(1) + "k" : Math.round(n / 1000) + "k"; }
  function hatch(colour) {
    var tile = document.createElement("canvas"); tile.width = tile.height = 8;
    var ctx = tile.getContext("2d"); ctx.strokeStyle = colour; ctx.lineWidth = 1.3;
    ctx.beginPath(); ctx.moveTo(-2, 10); ctx.lineTo(10, -2); ctx.moveTo(-2, 2); ctx.lineTo(2, -2); ctx.moveTo(6, 10); ctx.lineTo(10, 6); ctx.stroke();
    return ctx.createPattern(tile, "repeat");
  }

  var Mark = L.CircleMarker.extend({
    _updatePath: function () { if (this._renderer._drawing && !this._empty()) paint(this._renderer._ctx, this._point.x, this._point.y, this.options); },
    _updateBounds: function () {
      var r = this._radius + 14 + this._clickTolerance();
      this._pxBounds = new L.Bounds(this._point.subtract([r, r]), this._point.add([r, r]));
    },
  });

  // ---- theme ------------------------------------------------------------------------------------------------
  function readTheme() {
    var probe = document.createElement("div");
    probe.style.color = getComputedStyle(document.documentElement).getPropertyValue("--background-color") || "#ffffff";
    document.body.appendChild(probe);
    var rgb = (getComputedStyle(probe).color.match(/[\d.]+/g) || [255, 255, 255]).map(Number);
    probe.remove();
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] < 128 ? "dark" : "light";
  }
  function baseStyle(feature) {
    var t = THEMES[state.theme];
    var level = feature && feature.properties.level;
    if (level === "lake") return { color: t.shore, weight: 0.6, fill: true, fillColor: t.sea, fillOpacity: 1 };
    if (level === "river") return { color: t.shore, weight: 0.8, fill: false };
    if (level === "outline") return { color: t.border, weight: 1.1, fill: true, fillColor: t.land, fillOpacity: 1 };
    if (level === "country" && feature.properties.occupied) return { stroke: false, fill: !state.near, fillColor: hatch(t.occupied), fillOpacity: 0.8 };
    if (level === "country" && state.near && (state.admin[feature.properties.country] || {}).outlined) return { stroke: false, fill: false };
    return level === "admin1"
      ? { color: t.admin, weight: 0.8, fill: !!feature.properties.occupied, fillColor: feature.properties.occupied ? hatch(t.occupied) : t.land, fillOpacity: 0.8, dashArray: "3 3" }
      : { color: t.border, weight: 1, fill: true, fillColor: t.land, fillOpacity: 1 };
  }
  function applyTheme() {
    var next = readTheme(), map = state.map;
    if (!map || (next === state.theme && state.themed)) return;
    state.theme = next; state.themed = true;
    var box = map.getContainer();
    box.style.background = THEMES[next].sea;
    box.classList.toggle("atlas-dark", next === "dark");
    document.body.style.background = "transparent";
    if (state.base) state.base.setStyle(baseStyle);
    if (state.waters) state.waters.setStyle(baseStyle);
    Object.keys(state.admin).forEach(function (k) { state.admin[k].forEach(function (layer) { layer.setStyle(baseStyle); }); });
    if (state.last) show(state.lastGroup, state.last, true);
    drawLegend();
  }

  // ---- base layer and names ---------------------------------------------------------------------------------
  function getJson(url) { return fetch(url).then(function (r) { if (!r.ok) throw new Error(url); return r.json(); }); }
  function loadBase() {
    getJson(state.spec.base + "countries.json").then(function (data) {
      state.countries = data.features.map(function (f) { return f.properties; });
      data.features.sort(function (a, b) { return a.properties.occupied - b.properties.occupied; }); // the hatching on top
      state.base = L.geoJSON(data, { style: baseStyle, interactive: false, renderer: state.baseRenderer, smoothFactor: 0.6 }).addTo(state.map);
      state.named = state.named.concat(state.countries.filter(function (p) { return !p.occupied; }).map(function (p) { return { name: p.name, at: p.at, size: p.size, level: "country" }; }));
      refresh(); loadWaters(); window.incidentAtlas.baseReady = true;
    }).catch(function () { window.incidentAtlas.baseReady = "failed"; });
    getJson(state.spec.base + "towns.json").then(function (data) {
      state.named = state.named.concat(data.map(function (t) { return { name: t[0], at: [t[1], t[2]], people: t[3], level: "town" }; }));
      refresh();
    }).catch(function () {});
  }
  function loadWaters() {
    getJson(state.spec.base + "waters.json").then(function (data) {
      state.waters = L.geoJSON(data, { style: baseStyle, interactive: false, renderer: state.baseRenderer, smoothFactor: 1 }).addTo(state.map);
      stack();
    }).catch(function () {});
  }
  function refresh() { loadAdmin(); drawNames(); }
  // From zoom 5 on the countries in view get their finer outline and their first-level areas, each fetched once.
  function loadAdmin() {
    var map = state.map, near = map.getZoom() >= 5;
    if (!state.countries) return;
    Object.keys(state.admin).forEach(function (k) {
      state.admin[k].forEach(function (layer) { if (near !== map.hasLayer(layer)) map[near ? "addLayer" : "removeLayer"](layer); });
    });
    if (near !== state.near) { state.near = near; if (state.base) state.base.setStyle(baseStyle); stack(); }
    if (!near) return;
    var view = map.getBounds();
    state.countries.forEach(function (p) {
      if (!p.country || p.occupied || state.admin[p.country] || !view.intersects([[p.box[1], p.box[0]], [p.box[3], p.box[2]]])) return;
      var layers = (state.admin[p.country] = []);
      function put(data) {
        var layer = L.geoJSON(data, { style: baseStyle, interactive: false, renderer: state.baseRenderer, smoothFactor: 0.7 });
        layer.atlasLevel = data.type === "Feature" ? 0 : 1;
        layers.push(layer); if (map.getZoom() >= 5) layer.addTo(map);
        layers.outlined = layers.outlined || data.type === "Feature"; state.base.setStyle(baseStyle); stack();
      }
      getJson(state.spec.base + "outlines/" + p.country + ".json").then(put).catch(function () {});
      if (p.admin1) getJson(state.spec.base + "admin1/" + p.country + ".json").then(function (data) {
        put(data);
        data.features.forEach(function (f) { state.named.push({ name: f.properties.name, at: f.properties.at, size: f.properties.size, level: "admin1" }); });
        drawNames();
      }).catch(function () {});
    });
  }
  // Bottom to top: light world, outlines, first-level areas, waters.
  function stack() {
    var all = []; Object.keys(state.admin).forEach(function (k) { all = all.concat(state.admin[k]); });
    all.sort(function (a, b) { return a.atlasLevel - b.atlasLevel; });
    if (state.waters) all.push(state.waters);
    all.forEach(function (layer) { if (state.map.hasLayer(layer)) layer.bringToFront(); });
  }
  // Where the marks lie on the screen: names keep clear of them.
  function findMarks() {
    var view = state.map.getBounds(), found = [];
    function add(at, radius) {
      if (!view.contains(at)) return;
      var p = state.map.latLngToContainerPoint(at); found.push({ x: p.x, y: p.y, r: radius + 2 });
    }
    if (!state.last) return found;
    state.last.marks.forEach(function (m) { add([m[0], m[1]], m[4] === KIND.GROUP ? 22 : look(m[2], m[3]).radius + (m[4] === KIND.NEAR ? 5 : 1)); });
    state.last.areas.forEach(function (a) { var data = state.areas[a[0]]; if (data) add(data.properties.at, Math.max(look(a[2], a[3]).radius, 8)); });
    return found;
  }
  // Names that fit: countries and areas by their size on screen, towns by population; the first come keep their place.
  function drawNames() {
    var map = state.map, zoom = map.getZoom(), view = map.getBounds().pad(0.02), taken = [], chosen = [];
    var pixels = 256 * Math.pow(2, zoom) / 360, smallest = [9e9, 9e9, 6e6, 3e6, 1.5e6, 6e5, 1.5e5, 8e4, 4e4, 1.5e4][zoom] || 1e4;
    if (zoom > 9) smallest = 0;
    var order = { country: 0, town: 1, admin1: 2 }, marks = findMarks();
    var boxes = marks.map(function (m) { return [m.x - m.r, m.y - m.r, m.x + m.r, m.y + m.r]; });
    function overlaps(box, others) {
      return others.some(function (t) { return box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1]; });
    }
    state.named.filter(function (n) {
      if (!view.contains(n.at)) return false;
      if (n.level === "town") return n.people >= smallest;
      var wide = n.size * pixels;
      return n.level === "country" ? wide > 55 && wide < 1400 : zoom >= 6 && wide > 90 && wide < 1400;
    }).sort(function (a, b) {
      return order[a.level] - order[b.level] || (b.people || b.size) - (a.people || a.size);
    }).slice(0, 400).forEach(function (n) {
      if (chosen.length >= 70) return;
      var p = map.latLngToContainerPoint(n.at), w = n.name.length * (n.level === "town" ? 5.9 : 7.4) + 14, h = 16;
      if (n.level !== "town") {
        var wide = [p.x - w / 2, p.y - h / 2, p.x + w / 2, p.y + h / 2];
        if (!overlaps(wide, taken)) { taken.push(wide); chosen.push([n]); }
        return;
      }
      // right of the town, else left, above, below; beside a mark that lies on it, and never under another mark
      var r = 5;
      marks.forEach(function (m) { if (Math.abs(m.x - p.x) < m.r && Math.abs(m.y - p.y) < m.r) r = Math.max(r, m.r + 2); });
      w -= 10;
      [[r, 0, 0], [-r, 0, -100], [0, -r - 7, -50], [0, r + 7, -50]].some(function (d) {
        var left = p.x + d[0] + (w * d[2]) / 100, box = [left - 2, p.y + d[1] - h / 2, left + w + 2, p.y + d[1] + h / 2];
        if (overlaps(box, taken) || overlaps(box, boxes)) return false;
        taken.push(box); chosen.push([n].concat(d)); return true;
      });
    });
    state.labels.forEach(function (l) { map.removeLayer(l); });
    state.labels = chosen.map(function (c) {
      var n = c[0], span = document.createElement("span"); span.textContent = n.name;
      if (n.level === "town") {
        span.style.transform = "translate(" + c[1] + "px, " + c[2] + "px) translate(" + c[3] + "%, -50%)";
      }
      return L.marker(n.at, { interactive: false, keyboard: false, pane: "atlasNames",
        icon: L.divIcon({ className: "atlas-name atlas-name-" + n.level, html: span, iconSize: null }) }).addTo(map);
    });
  }

  // ---- legend -----------------------------------------------------------------------------------------------
  function icon(options, size) {
    var c = document.createElement("canvas"), d = 2; c.width = c.height = size * d; c.style.width = c.style.height = size + "px";
    c.setAttribute("aria-hidden", "true");
    var ctx = c.getContext("2d"); ctx.scale(d, d); paint(ctx, size / 2, size / 2, options); return c;
  }
  function areaIcon(colour) {
    var c = document.createElement("canvas"); c.width = 44; c.height = 32; c.style.width = "22px"; c.style.height = "16px"; c.setAttribute("aria-hidden", "true");
    var ctx = c.getContext("2d"); ctx.scale(2, 2); ctx.fillStyle = hatch(colour); ctx.globalAlpha = 0.7; ctx.fillRect(2, 2, 18, 12);
    ctx.globalAlpha = 1; ctx.setLineDash([3, 2]); ctx.strokeStyle = colour; ctx.lineWidth = 1.4; ctx.strokeRect(2, 2, 18, 12); return c;
  }
  function row(list, picture, html) {
    var li = document.createElement("li"), cell = document.createElement("span"), text = document.createElement("span");
    cell.className = "atlas-key"; cell.appendChild(picture); text.innerHTML = html; li.appendChild(cell); li.appendChild(text); list.appendChild(li);
  }
  function drawLegend() {
    if (!state.legendBox) return;
    var s = state.spec, box = state.legendBox, wasOpen = box.firstChild ? box.firstChild.open : window.innerWidth > 560;
    var inner = box.querySelector("details details"), wasMore = inner ? inner.open : window.innerWidth > 1000;
    var details = document.createElement("details"), summary = document.createElement("summary"), body = document.createElement("div");
    details.open = wasOpen; summary.innerHTML = s.words.legend; details.appendChild(summary); body.className = "atlas-legend-body"; details.appendChild(body);
    function part(title) {
      var h = document.createElement("p"), ul = document.createElement("ul"); h.innerHTML = title; body.appendChild(h); body.appendChild(ul); return ul;
    }
    var kinds = part(s.words.kinds);
    s.parents.forEach(function (p) { row(kinds, icon({ shape: p.shape, colour: p.colour, radius: 6.5, kind: 0, count: 1 }, 20), p.label); });
    var more = document.createElement("details"), moreTitle = document.createElement("summary");
    more.open = wasMore; moreTitle.innerHTML = s.words.more; more.appendChild(moreTitle); body.appendChild(more); body = more;
    var sizes = part(s.words.sizes); sizes.className = "atlas-two";
    s.sizes.forEach(function (z) { row(sizes, icon({ shape: "circle", colour: THEMES[state.theme].mixed, radius: Math.min(z.radius, 11), kind: 0, count: 1, unstated: z.unstated }, 26), z.label); });
    var places = part(s.words.places);
    row(places, areaIcon(THEMES[state.theme].mixed), s.words.area);
    row(places, icon({ shape: "circle", colour: THEMES[state.theme].mixed, radius: 6.5, kind: KIND.COARSE, count: 1 }, 20), s.words.coarse);
    row(places, icon({ shape: "circle", colour: THEMES[state.theme].mixed, radius: 5, kind: KIND.NEAR, count: 1 }, 22), s.words.near);
    row(places, icon({ shape: "circle", colour: THEMES[state.theme].mixed, radius: 6, kind: 0, count: 3 }, 26), s.words.several);
    row(places, icon({ shape: "circle", colour: THEMES[state.theme].mixed, radius: 9.5, kind: KIND.GROUP, count: 28 }, 24), s.words.group);
    box.replaceChildren(details);
  }

  // ---- incidents --------------------------------------------------------------------------------------------
  function look(code, size) {
    var s = state.spec, parent = s.parents[code], z = s.sizes[size];
    return { shape: parent ? parent.shape : "circle", colour: parent ? parent.colour : THEMES[state.theme].mixed, radius: z.radius, unstated: !!z.unstated };
  }
  function tip(layer, lines, key) {
    var html = lines.join("<br>") + (key ? '<span hidden> [mark ' + key + "]</span>" : "");
    layer.bindTooltip(html, { className: "atlas-tip", direction: "top", sticky: layer instanceof L.Polygon, opacity: 1, offset: [0, -(layer.options.radius || 4)] });
  }
  function markLayer(m) {
    // m = [lat, lon, parent, size, kind, count, key, lines, label]
    var o = look(m[2], m[3]);
    if (m[4] === KIND.GROUP) { o.shape = "circle"; o.colour = THEMES[state.theme].mixed; o.unstated = false; o.radius = Math.min(26, 11 + 2.6 * Math.log10(m[5]) * 1.6); }
    if (m[4] === KIND.COARSE) { o.radius = Math.max(o.radius, 8); }
    var layer = new Mark([m[0], m[1]], { renderer: state.renderer, radius: o.radius, shape: o.shape, colour: o.colour, unstated: o.unstated, kind: m[4], count: m[5], label: m[8], bubblingMouseEvents: false });
    if (m[7].length) tip(layer, m[7], m[6]);
    if (m[4] === KIND.GROUP) layer.on("click", function () { state.map.setView(layer.getLatLng(), Math.min(state.map.getZoom() + 2, 15)); });
    return layer;
  }
  function areaLayers(group, a, done) {
    // a = [url, rank, parent, size, count, key, lines]
    function add(data) {
      if (state.lastGroup !== group) return;
      var colour = look(a[2], a[3]).colour, big = a[1] > 1;
      L.geoJSON(data, { renderer: state.renderer, style: { color: colour, weight: big ? 1.6 : 2, dashArray: "6 4", fill: true, fillColor: hatch(colour), fillOpacity: big ? 0.28 : 0.5, bubblingMouseEvents: false } })
        .eachLayer(function (layer) { tip(layer, a[6], a[5]); layer.atlasRank = a[1]; group.addLayer(layer); });
      var at = data.properties.at;
      group.addLayer(markLayer([at[0], at[1], a[2], a[3], KIND.COARSE, a[4], a[5], a[6]]));
      done();
    }
    if (state.areas[a[0]]) add(state.areas[a[0]]);
    else getJson(state.spec.base + a[0]).then(function (data) { state.areas[a[0]] = data; add(data); }).catch(function () { done(); });
  }
  function show(group, data, again) {
    var map = state.map;
    if (!again) window.feature_group = []; // st_folium never empties this list: without it each update would leak a layer
    else group.clearLayers();
    state.last = data; state.lastGroup = group; state.shown = data.shown; state.updates += again ? 0 : 1;
    var waiting = data.areas.length;
    function order() {
      var polygons = []; group.eachLayer(function (l) { if (l.atlasRank !== undefined) polygons.push(l); });
      polygons.sort(function (a, b) { return a.atlasRank - b.atlasRank; }).forEach(function (l) { l.bringToBack(); });
      waiting -= 1; if (waiting <= 0) { window.incidentAtlas.drawn = state.updates; if (data.areas.length) drawNames(); }
    }
    var last = [];
    data.marks.forEach(function (m) { var layer = markLayer(m); if (m[4] !== KIND.COARSE) last.push(layer); group.addLayer(layer); });
    data.areas.forEach(function (a) { areaLayers(group, a, order); });
    if (!waiting) window.incidentAtlas.drawn = state.updates;
    last.forEach(function (l) { if (l._map) l.bringToFront(); });
    var api = window.incidentAtlas;
    api.shown = data.shown; api.marks = data.marks.length; api.areas = data.areas.length; api.updates = state.updates;
    if (!state.placed && data.bounds) { state.placed = true; if (state.spec.plain || !restore()) fit(); }
    else if (state.spec.plain && !again && String(data.bounds) !== state.fitted) fit(); // another question
    state.fitted = String(data.bounds);
    if (state.named.length) drawNames();
    if (state.note) { state.note.innerHTML = data.note; state.note.style.display = data.note ? "" : "none"; }
  }
  function fit() {
    var b = state.last && state.last.bounds;
    // a single point or a tight cluster must not throw the reader to the deepest zoom
    if (b) state.map.fitBounds([[b[0], b[1]], [b[2], b[3]]], { maxZoom: 9, padding: [36, 36], animate: false });
  }
  function remember() {
    var c = state.map.getCenter();
    try { sessionStorage.setItem("incidentAtlas.view", JSON.stringify([c.lat, c.lng, state.map.getZoom()])); } catch (e) { /* storage switched off: the view is then not kept between pages */ }
  }
  function restore() {
    try {
      var v = JSON.parse(sessionStorage.getItem("incidentAtlas.view"));
      if (v && v.every(isFinite)) { state.map.setView([v[0], v[1]], v[2], { animate: false }); return true; }
    } catch (e) { /* nothing kept */ }
    return false;
  }

  function control(position, className, make) {
    var c = L.control({ position: position });
    c.onAdd = function () {
      var div = L.DomUtil.create("div", className); L.DomEvent.disableClickPropagation(div); L.DomEvent.disableScrollPropagation(div); make(div); return div;
    };
    c.addTo(state.map);
  }
  function init(map, spec) {
    state.map = map; state.spec = spec;
    map.createPane("atlasBase").style.zIndex = 150;
    var names = map.createPane("atlasNames"); names.style.zIndex = 390; names.style.pointerEvents = "none";
    map.getPane("atlasBase").style.pointerEvents = "none";
    state.baseRenderer = L.canvas({ pane: "atlasBase", padding: 0.3 });
    state.renderer = L.canvas({ padding: 0.2, tolerance: L.Browser.touch ? 10 : 4 });
    map.attributionControl.setPrefix(false).addAttribution(spec.words.attribution);
    L.control.scale({ imperial: false, position: "bottomright" }).addTo(map);
    control("topleft", "leaflet-bar atlas-fit", function (div) {
      var b = document.createElement("button"); b.type = "button"; b.innerHTML = "&#9974;"; b.title = spec.words.fit; b.setAttribute("aria-label", spec.words.fit);
      b.onclick = fit; div.appendChild(b);
    });
    if (!spec.plain) control("bottomleft", "atlas-legend", function (div) { state.legendBox = div; });
    control("topright", "atlas-note", function (div) { state.note = div; div.style.display = "none"; });
    map.on("moveend", function () { if (state.placed && !spec.plain) remember(); refresh(); });
    window.addEventListener("message", function (e) { if (e.data && e.data.type === "streamlit:render") setTimeout(applyTheme, 30); });
    // the frame is measured before it is laid out when the page opens on another tab or narrow window
    new ResizeObserver(function () { map.invalidateSize({ pan: false }); }).observe(map.getContainer());
    applyTheme(); loadBase();
  }
  window.incidentAtlas = { init: init, show: show, fit: fit, shown: 0, marks: 0, areas: 0, updates: 0, drawn: 0, baseReady: false };
})();
