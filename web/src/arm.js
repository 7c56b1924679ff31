// The robot as a scene: links between their joints, frames, axes, centres of mass, ellipsoids of inertia, the tool's path.
import {
  AmbientLight, ArrowHelper, Box3, BoxGeometry, BufferGeometry, Color, CylinderGeometry, DirectionalLight, EdgesGeometry, Float32BufferAttribute,
  GridHelper, Group, HemisphereLight, IcosahedronGeometry, Line, LineBasicMaterial, LineDashedMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial,
  MeshStandardMaterial, Quaternion, Scene, SphereGeometry, Vector3, WireframeGeometry,
} from "three";
import { css } from "./dom.js";
import { ellipsoid } from "./inertia.js";
import { link_poses, matrix_of, origin_of, tool_point } from "./kinematics.js";

// Cylinder between two points.
function rod(from, to, radius, material) {
  const length = from.distanceTo(to);
  const mesh = new Mesh(new CylinderGeometry(radius, radius, length, 24), material);
  mesh.position.copy(from).add(to).multiplyScalar(0.5);
  mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), to.clone().sub(from).normalize());
  return mesh;
}

function polyline(points, material) {
  return new Line(new BufferGeometry().setFromPoints(points), material);
}

export class Arm {
  constructor(robot, links, motion) {
    this.robot = robot;
    this.links = links ?? [];
    this.parts = { axes: [], frames: [], masses: [], ellipsoids: [], path: [] };
    this.left_out = [];  // links without ellipsoid
    this.shortened = [];  // those whose ellipsoid is drawn smaller than it is
    this.has_origin = this.links.some(({ origin }) => origin);
    this.measure(motion);
    this.scene = new Scene();
    this.scene.add(new HemisphereLight(0xffffff, 0x8899aa, 1.6), new AmbientLight(0xffffff, 0.35));
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.position.set(1.5, -2, 3);
    this.scene.add(sun);
    this.grid = new GridHelper(2.4 * this.reach, 12);
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.z = origin_of(matrix_of(this.robot.base)).z;
    this.scene.add(this.grid);
    this.materials = {
      link: new MeshStandardMaterial({ roughness: 0.55, metalness: 0.05 }), joint: new MeshStandardMaterial({ roughness: 0.4, metalness: 0.1 }),
      mass: new MeshStandardMaterial({ roughness: 0.35 }), axis: new LineDashedMaterial({ dashSize: 0.03 * this.reach, gapSize: 0.018 * this.reach }),
      ellipsoid: new MeshBasicMaterial({ transparent: true, opacity: 0.22, depthWrite: false }), wire: new LineBasicMaterial({ transparent: true, opacity: 0.55 }),
      path: new LineBasicMaterial({ transparent: true, opacity: 0.5 }),
    };
    // Of each origin: body and wire. Measured is solid, chosen is nearly a wire alone, inferred has both.
    this.origins = {};
    for (const [kind, body, wire] of [["measured", 0.6, 0], ["inferred", 0.4, 0.7], ["chosen", 0.1, 0.7]])
      this.origins[kind] = { ellipsoid: new MeshBasicMaterial({ transparent: true, opacity: body, depthWrite: false }), wire: new LineBasicMaterial({ transparent: true, opacity: wire }) };
    this.radius = 0.032 * this.reach;
    this.groups = this.robot.joints.map((joint, i) => this.link_group(joint, i));
    this.scene.add(this.base_group(), ...this.groups);
    this.add_masses();
    this.draw_path(motion);
    this.colour();
  }

  // Length by which everything is drawn: how far the arm reaches from its base, over joints and tool.
  measure(motion) {
    this.reach = 0;
    const points = this.points_of(motion, 40);
    const base = origin_of(matrix_of(this.robot.base));
    for (const point of points) this.reach = Math.max(this.reach, point.distanceTo(base));
    this.reach = this.reach || 1;
    this.points = [base, ...points];
  }

  // Points that should be seen: the arm in all its poses, ellipsoids as they are now.
  outline() {
    this.scene.updateMatrixWorld(true);
    const bodies = this.parts.ellipsoids.map((body) => new Box3().setFromObject(body));
    return [...this.points, ...bodies.flatMap(({ min, max }) => [min, max])];
  }

  points_of(motion, most) {
    const points = [];
    const step = Math.max(1, Math.floor(motion.size / most));
    for (let k = 0; k < motion.size; k += step) {
      const poses = link_poses(this.robot, motion.coordinates(k));
      points.push(...poses.map(origin_of), tool_point(this.robot, poses));
    }
    return points;
  }

  thickness(i) {
    return this.radius * (1 - 0.45 * (i / Math.max(1, this.robot.joints.length)));
  }

  base_group() {
    const group = new Group();
    const base = origin_of(matrix_of(this.robot.base));
    group.add(rod(base.clone().add(new Vector3(0, 0, -0.2 * this.radius)), base.clone().add(new Vector3(0, 0, 0.4 * this.radius)), 2.2 * this.radius, this.materials.link));
    this.robot.joints.forEach((joint, i) => {
      if (joint.parent >= 0) return;
      const to = origin_of(matrix_of(this.robot.base).multiply(matrix_of(joint.before)));
      if (to.distanceTo(base) > 1e-6) group.add(rod(base, to, this.thickness(i), this.materials.link));
    });
    group.add(...this.frame(matrix_of(this.robot.base)));
    return group;
  }

  // Parts that move with link i, in its frame.
  link_group(joint, i) {
    const group = new Group();
    group.matrixAutoUpdate = false;
    const back = matrix_of(joint.after).invert();
    const own = origin_of(back);
    const direction = new Vector3(...joint.axis).transformDirection(back);
    const r = this.thickness(i);
    const size = joint.kind === "prismatic" ? new BoxGeometry(2.2 * r, 2.6 * r, 2.2 * r) : new CylinderGeometry(1.45 * r, 1.45 * r, 3 * r, 32);
    const hub = new Mesh(size, this.materials.joint);
    hub.position.copy(own);
    hub.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), direction);
    group.add(hub);
    const ends = this.robot.joints.filter((child) => child.parent === i).map((child) => origin_of(matrix_of(child.before)));
    if (i === this.robot.tool_link) ends.push(origin_of(matrix_of(this.robot.tool)));
    ends.push(new Vector3());
    for (const end of ends) if (end.distanceTo(own) > 1e-6) group.add(rod(own, end, this.thickness(i + 0.5), this.materials.link));
    const half = direction.clone().multiplyScalar(0.16 * this.reach);
    const dashes = polyline([own.clone().sub(half), own.clone().add(half)], this.materials.axis);
    dashes.computeLineDistances();
    group.add(dashes);
    this.parts.axes.push(dashes);
    group.add(...this.frame(new Matrix4()));
    return group;
  }

  frame(matrix) {
    const [origin, length] = [origin_of(matrix), 0.11 * this.reach];
    const arrows = ["frame-x", "frame-y", "frame-z"].map((name, k) => {
      const direction = new Vector3().setComponent(k, 1).transformDirection(matrix);
      const arrow = new ArrowHelper(direction, origin, length, 0xffffff, 0.25 * length, 0.14 * length);
      arrow.userData.colour = name;
      return arrow;
    });
    this.parts.frames.push(...arrows);
    return arrows;
  }

  // Of the feasible model: spheres by mass, and ellipsoids of a homogeneous body with the same inertia.
  add_masses() {
    const total = this.links.reduce((sum, { mass }) => sum + mass, 0);
    this.links.forEach((link, i) => {
      const group = this.groups[i];
      if (!group || !(link.mass > 1e-6 * total)) return;
      const ball = new Mesh(new SphereGeometry(0.045 * this.reach * Math.cbrt(link.mass / total), 24, 16), this.materials.mass);
      const far = Math.hypot(...link.com) > this.reach;
      ball.position.set(...link.com);
      if (!far) {
        group.add(ball);
        this.parts.masses.push(ball);
      }
      const body = ellipsoid(link);
      if (!body || far) {
        this.left_out.push(link.name);
        return;
      }
      const [longest, most] = [Math.max(...body.axes), 0.6 * this.reach];
      if (longest > most) {
        this.shortened.push(link.name);
        body.axes = body.axes.map((axis) => (axis * most) / longest);
      }
      this.add_ellipsoid(group, link, body);
    });
  }

  add_ellipsoid(group, link, body) {
    const holder = new Group();
    const turn = new Matrix4().makeBasis(...body.directions.map((d) => new Vector3(...d)));
    holder.position.set(...link.com);
    holder.quaternion.copy(new Quaternion().setFromRotationMatrix(turn));
    holder.scale.set(...body.axes.map((a) => Math.max(a, 0.012 * this.reach)));
    holder.add(new Mesh(new SphereGeometry(1, 32, 20), this.materials.ellipsoid));
    holder.add(new LineSegments(new EdgesGeometry(new IcosahedronGeometry(1, 2), 1), this.materials.wire));
    if (link.origin) holder.add(this.origin_slices(link.origin, body.axes));
    group.add(holder);
    this.parts.ellipsoids.push(holder);
  }

  // The ellipsoid cut across its longest axis: a slice for each origin, as much of a sphere's surface as its share.
  origin_slices(origin, axes) {
    const slices = new Group();
    const longest = axes.indexOf(Math.max(...axes));
    if (longest === 0) slices.rotation.z = Math.PI / 2;  // the poles of spheres are on y
    if (longest === 2) slices.rotation.x = Math.PI / 2;
    let below = 0;
    for (const [kind, { ellipsoid, wire }] of Object.entries(this.origins)) {
      const [from, to] = [below, below + origin[kind]].map((share) => Math.acos(Math.max(-1, 1 - 2 * share)));
      below += origin[kind];
      if (origin[kind] <= 0.005) continue;
      const sphere = (around, along) => new SphereGeometry(1, around, Math.max(2, Math.round((along * (to - from)) / Math.PI)), 0, 2 * Math.PI, from, to - from);
      slices.add(new Mesh(sphere(32, 20), ellipsoid));
      if (wire.opacity > 0) slices.add(new LineSegments(new WireframeGeometry(sphere(14, 9)), wire));
    }
    return slices;
  }

  draw_path(motion) {
    for (const line of this.parts.path) this.scene.remove(line);
    this.parts.path = [];
    if (motion.size < 2) return;
    const points = [];
    for (let k = 0; k < motion.size; ++k) points.push(tool_point(this.robot, link_poses(this.robot, motion.coordinates(k))));
    this.parts.path.push(polyline(points, this.materials.path));
    this.scene.add(this.parts.path[0]);
  }

  take_pose(coordinates) {
    link_poses(this.robot, coordinates).forEach((pose, i) => {
      this.groups[i].matrix.copy(pose);
      this.groups[i].matrixWorldNeedsUpdate = true;
    });
  }

  show(part, visible) {
    for (const object of this.parts[part]) object.visible = visible;
  }

  // Ellipsoids divided by origin, or all alike.
  show_origin(by_origin) {
    for (const { children: [body, wire, slices] } of this.parts.ellipsoids) {
      body.visible = wire.visible = !(by_origin && slices);
      if (slices) slices.visible = by_origin;
    }
  }

  colour() {
    const set = (material, name) => material.color.set(new Color(css(name)));
    const names = { link: "robot-link", joint: "robot-joint", mass: "robot-mass", axis: "muted", ellipsoid: "robot-mass", wire: "robot-mass", path: "predicted" };
    for (const [material, name] of Object.entries(names)) set(this.materials[material], name);
    for (const [kind, { ellipsoid, wire }] of Object.entries(this.origins)) for (const material of [ellipsoid, wire]) set(material, "origin-" + kind);
    for (const arrow of this.parts.frames) arrow.setColor(new Color(css(arrow.userData.colour)));
    const line = new Color(css("line"));
    const count = this.grid.geometry.getAttribute("color").count;
    this.grid.geometry.setAttribute("color", new Float32BufferAttribute(Array.from({ length: count }, () => [line.r, line.g, line.b]).flat(), 3));
  }
}
