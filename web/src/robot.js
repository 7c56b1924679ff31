// The robot in 3D with its controls: turn, zoom, what is shown, and the motion over time.
import { Box3, PerspectiveCamera, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Arm } from "./arm.js";
import { h, choice } from "./dom.js";
import { Motion } from "./kinematics.js";
import { has_webgl, Painter } from "./painter.js";

// What the ten parameters of a link come from; shapes say the same as colours.
function origin_legend() {
  const disc = (kind) => h("svg", { class: "origin-key " + kind, viewBox: "0 0 16 16", "aria-hidden": "true" },
    h("circle", { class: "fill", cx: 8, cy: 8, r: 6.5 }), h("path", { class: "wire", d: "M8 1.5v13M1.5 8h13M8 1.5c-6 4-6 9 0 13M8 1.5c6 4 6 9 0 13" }));
  return h("p", { class: "legend origins", hidden: true }, h("span", {}, "Of each link:"),
    h("span", { title: "determined by the efforts" }, disc("measured"), "measured"),
    h("span", { title: "follows from being a body, and from the constraints" }, disc("inferred"), "inferred"),
    h("span", { title: "taken from the reference body: the efforts do not show it" }, disc("chosen"), "chosen"));
}

export class RobotView {
  constructor(scene, links) {
    this.robot = scene.robot;
    this.links = links;
    this.motions = scene.motions.map((data) => new Motion(data));
    this.motion = this.motions[0] ?? new Motion();
    this.time = this.motion.start;
    this.playing = false;
  }

  // Element with the view and its controls.
  element() {
    this.canvas = h("canvas", { id: "robot", tabindex: 0, role: "img", "aria-label": "The robot in 3D. Arrow keys rotate, plus and minus zoom, o switches the colours of the links' origin." });
    this.note = h("p", { class: "hint" });
    const switches = [["axes", "Axes"], ["frames", "Frames"], ["masses", "Centres of mass"], ["ellipsoids", "Inertia"], ["origin", "Origin of the links"], ["path", "Path"]];
    this.switches = h("div", { class: "switches" });
    this.boxes = {};
    for (const [part, name] of switches) {
      const box = h("input", { type: "checkbox", checked: part !== "frames", onchange: () => this.render() });
      this.boxes[part] = box;
      this.switches.append(h("label", { "data-part": part }, box, name));
    }
    this.slider = h("input", { type: "range", min: 0, max: 1000, value: 0, "aria-label": "Time", oninput: () => this.seek(this.motion.start + (Number(this.slider.value) / 1000) * this.motion.duration) });
    this.clock = h("span", { class: "clock" });
    this.button = h("button", { type: "button", id: "play", onclick: () => this.toggle() }, "▶ Play");
    const player = this.motion.duration > 0 && h("div", { class: "player" }, this.button, this.slider, this.clock);
    const chooser = this.chooser = this.motions.length > 1 && choice("Motion", this.motions.map(({ run }) => run), 0, (i) => this.choose(i));
    this.legend = origin_legend();
    this.root = h("div", { class: "robot-view" }, h("div", { class: "stage" }, this.canvas), chooser, player, this.switches, this.legend, this.note);
    return this.root;
  }

  start() {
    this.canvas.dataset.drawn = has_webgl() ? "webgl" : "canvas";
    this.renderer = this.canvas.dataset.drawn === "webgl"
      ? new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true, preserveDrawingBuffer: true })
      : new Painter(this.canvas);
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.arm = new Arm(this.robot, this.links, this.motion);
    for (const [part, list] of Object.entries(this.arm.parts)) this.boxes[part].parentElement.hidden = list.length === 0;
    this.boxes.origin.parentElement.hidden = !this.arm.has_origin;
    this.note.textContent = [
      this.arm.left_out.length > 0 && `No ellipsoid for ${this.arm.left_out.join(", ")}: no body has such moments, or its centre is beyond the arm.`,
      this.arm.shortened.length > 0 && `Larger than the arm, drawn smaller: ${this.arm.shortened.join(", ")}.`].filter(Boolean).join(" ");
    this.camera = new PerspectiveCamera(32, 1, 0.01, 200);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enablePan = false;
    this.controls.enableZoom = false;  // the page scrolls; Ctrl and wheel, or the keys, zoom
    this.controls.addEventListener("change", () => this.render());
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== this.canvas) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.1 : 1 / 1.1);
    }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.resize();
    this.seek(this.motion.start);
    this.frame_all();
    new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement);
  }

  frame_all() {
    const points = this.arm.outline();
    const centre = new Box3().setFromPoints(points).getCenter(new Vector3());
    const direction = new Vector3(0.72, -0.82, 0.42).normalize();
    this.camera.position.copy(centre).add(direction.clone().multiplyScalar(this.distance(points, centre, direction)));
    this.controls.target.copy(centre);
    this.controls.update();
  }

  // From which the arm is seen in all its poses, with a little air.
  distance(points, centre, direction) {
    const right = new Vector3(0, 0, 1).cross(direction).normalize();
    const up = direction.clone().cross(right);
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    const air = 0.1 * this.arm.reach;
    let most = 0.1;
    for (const point of points) {
      const offset = point.clone().sub(centre);
      const across = Math.max(Math.abs(offset.dot(up)) + air, (Math.abs(offset.dot(right)) + air) / this.camera.aspect);
      most = Math.max(most, offset.dot(direction) + across / slope);
    }
    return most;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!this.renderer || width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.render();
  }

  render() {
    if (!this.renderer || !this.camera) return;
    for (const [part, box] of Object.entries(this.boxes)) if (part !== "origin") this.arm.show(part, box.checked);
    const by_origin = this.arm.has_origin && this.boxes.origin.checked;
    this.arm.show_origin(by_origin);
    this.legend.hidden = !(by_origin && this.boxes.ellipsoids.checked);
    this.renderer.render(this.arm.scene, this.camera);
  }

  colour() {
    this.arm?.colour();
    this.render();
  }

  press(i) {
    if (this.chooser) this.chooser.press(i);
  }

  choose(i) {
    this.motion = this.motions[i];
    this.arm?.draw_path(this.motion);
    this.seek(this.motion.start);
  }

  // The pose at a time of the motion.
  seek(time) {
    const { start, duration } = this.motion;
    this.time = Math.min(start + duration, Math.max(start, time));
    this.arm?.take_pose(this.motion.coordinates(this.motion.place(this.time)));
    this.slider.value = String(Math.round((1000 * (this.time - start)) / (duration || 1)));
    this.clock.textContent = `${this.time.toFixed(2)} s`;
    this.canvas.dataset.time = this.time.toFixed(3);
    this.render();
  }

  // The cursor of the curves is at this time of a run.
  follow(run, time) {
    if (this.arm && !this.playing && this.motion.run === run) this.seek(time);
  }

  toggle() {
    this.playing = !this.playing;
    this.button.textContent = this.playing ? "❚❚ Pause" : "▶ Play";
    const end = this.motion.start + this.motion.duration;
    if (this.playing && this.time >= end) this.seek(this.motion.start);
    let before = performance.now();
    const step = (now) => {
      if (!this.playing) return;
      this.seek(this.time + (now - before) / 1000);
      before = now;
      if (this.time >= end) this.toggle();
      else requestAnimationFrame(step);
    };
    if (this.playing) requestAnimationFrame(step);
  }

  zoom(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.render();
  }

  key(event) {
    const turn = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, -0.12], ArrowDown: [0, 0.12] }[event.key];
    if (turn) {
      const offset = this.camera.position.clone().sub(this.controls.target);
      offset.applyAxisAngle(new Vector3(0, 0, 1), turn[0]);
      const side = new Vector3(-offset.y, offset.x, 0).normalize();
      const raised = offset.clone().applyAxisAngle(side, turn[1]);
      if (Math.abs(raised.z) < 0.97 * raised.length()) offset.copy(raised);
      this.camera.position.copy(this.controls.target).add(offset);
      this.controls.update();
      this.render();
    } else if (event.key === "+" || event.key === "=") this.zoom(1 / 1.15);
    else if (event.key === "-") this.zoom(1.15);
    else if (event.key === "0") this.frame_all();
    else if (event.key === " " && this.motion.duration > 0) this.toggle();
    else if (event.key === "o" && this.arm.has_origin) this.boxes.origin.click();
    else return;
    event.preventDefault();
  }
}
