// The robot without WebGL: the same scene, its faces and lines drawn one by one on a 2D canvas, the farthest first.
import { Vector3 } from "three";
import { Projector } from "three/examples/jsm/renderers/Projector.js";

export const has_webgl = () => {
  try {
    return Boolean(document.createElement("canvas").getContext("webgl2"));
  } catch {
    return false;
  }
};

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    if (!this.context) throw new Error("no 2D canvas");
    this.projector = new Projector();
    this.ratio = 1;
  }

  setPixelRatio(ratio) {
    this.ratio = ratio;
  }

  setSize(width, height) {
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
  }

  render(scene, camera) {
    const { context, canvas } = this;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.lineJoin = "round";
    for (const element of this.projector.projectScene(scene, camera, true, true).elements) {
      const { material, v1, v2, v3 } = element;
      context.globalAlpha = material.transparent ? material.opacity : 1;
      context.beginPath();
      context.moveTo(...this.place(v1));
      context.lineTo(...this.place(v2));
      if (v3) this.face(material, v1, v2, v3, camera);
      else this.line(material, element);
    }
    context.globalAlpha = 1;
  }

  place({ positionScreen: { x, y } }) {
    return [((x + 1) / 2) * this.canvas.width, ((1 - y) / 2) * this.canvas.height];
  }

  face(material, v1, v2, v3, camera) {
    const { context } = this;
    context.lineTo(...this.place(v3));
    context.closePath();
    context.fillStyle = context.strokeStyle = this.shaded(material, v1.positionWorld, v2.positionWorld, v3.positionWorld, camera);
    context.fill();
    if (material.transparent) return;
    context.setLineDash([]);
    context.lineWidth = 1;  // no gap between neighbours
    context.stroke();
  }

  line(material, { vertexColors }) {
    const { context } = this;
    context.strokeStyle = (material.vertexColors ? vertexColors[0] : material.color).getStyle();
    context.setLineDash(material.isLineDashedMaterial ? [6 * this.ratio, 4 * this.ratio] : []);
    context.lineWidth = this.ratio;
    context.stroke();
  }

  // As if the light came from the eye; what has no shading in the scene has none here.
  shaded(material, a, b, c, camera) {
    if (material.isMeshBasicMaterial) return material.color.getStyle();
    const normal = new Vector3().subVectors(b, a).cross(new Vector3().subVectors(c, a)).normalize();
    const towards = new Vector3().subVectors(camera.position, a).normalize();
    return material.color.clone().multiplyScalar(0.35 + 0.65 * Math.abs(normal.dot(towards))).getStyle();
  }
}
