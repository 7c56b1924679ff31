// Poses of a robot's links, and its motions over time.
import { Matrix4, Vector3 } from "three";

// Twelve numbers, rotation by rows and position.
export const matrix_of = (p) => new Matrix4().set(p[0], p[1], p[2], p[9], p[3], p[4], p[5], p[10], p[6], p[7], p[8], p[11], 0, 0, 0, 1);
export const origin_of = (matrix) => new Vector3().setFromMatrixPosition(matrix);

// Pose of every link frame in the world at the coordinates q.
export function link_poses(robot, q) {
  const poses = [];
  const base = matrix_of(robot.base);
  for (const joint of robot.joints) {
    const value = joint.coordinates.reduce((sum, factor, k) => sum + factor * (q[k] ?? 0), joint.offset);
    const axis = new Vector3(...joint.axis);
    const motion = joint.kind === "prismatic" ? new Matrix4().makeTranslation(axis.multiplyScalar(value)) : new Matrix4().makeRotationAxis(axis, value);
    const parent = joint.parent < 0 ? base : poses[joint.parent];
    poses.push(parent.clone().multiply(matrix_of(joint.before)).multiply(motion).multiply(matrix_of(joint.after)));
  }
  return poses;
}

export function tool_point(robot, poses) {
  if (robot.tool_link < 0 || robot.tool_link >= poses.length) return new Vector3();
  return origin_of(poses[robot.tool_link].clone().multiply(matrix_of(robot.tool)));
}

// The joint that each coordinate is the position of; undefined where none is.
export function independent_joints(scene) {
  const joints = [];
  for (const joint of scene?.robot?.joints ?? []) {
    const k = joint.coordinates.findIndex((factor) => factor !== 0);
    if (k >= 0 && joints[k] === undefined && joint.coordinates[k] === 1 && joint.offset === 0) joints[k] = joint;
  }
  return joints;
}

// A run's motion; without one the robot stands at zero.
export class Motion {
  constructor(data) {
    this.data = data;
    this.run = data?.run;
    this.size = data?.time.length ?? 1;
    this.start = data?.time[0] ?? 0;
    this.duration = data ? data.time[this.size - 1] - this.start : 0;
  }

  // Coordinates at a sample; 12.3 is between the 12th and the 13th.
  coordinates(at) {
    if (!this.data) return [];
    const k = Math.min(this.size - 1, Math.max(0, Math.floor(at)));
    return this.data.position.map((column) => {
      const [a, b] = [column[k] ?? 0, column[Math.min(this.size - 1, k + 1)] ?? 0];
      return a + (at - k) * (b - a);
    });
  }

  // Where a time is among the samples.
  place(time) {
    const { time: times } = this.data ?? { time: [0] };
    let [low, high] = [0, this.size - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle;
    }
    return low + Math.min(1, Math.max(0, (time - times[low]) / (times[high] - times[low] || 1)));
  }
}
