// Points, drawn by WebGL 2 in one call, or on a plain canvas if it is not available. Libraries that compile their drawing
// commands with `new Function` (regl and what is built on it) are forbidden by the page's content security policy.

export interface Camera {
  x: number; // the position on the map that is in the middle
  y: number;
  zoom: number; // pixels per unit of the map
}

export interface Scatter {
  setPositions(from: [Float32Array, Float32Array], to: [Float32Array, Float32Array]): void;
  setColors(colors: Uint8Array): void;
  /** `part` of the points, the first ones; 1 is all. */
  draw(camera: Camera, share: number, radius: number, width: number, height: number, ratio: number, part: number): void;
}

const VERTEX = `#version 300 es
in float fromX; in float fromY; in float toX; in float toY; in vec4 color;
uniform vec2 middle; uniform vec2 scale; uniform float share; uniform float size;
out vec4 shade;
void main() {
  vec2 place = mix(vec2(fromX, fromY), vec2(toX, toY), share);
  gl_Position = vec4((place - middle) * scale, 0.0, 1.0);
  gl_PointSize = size;
  shade = color;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec4 shade; uniform float size; out vec4 result;
void main() {
  float far = length(gl_PointCoord - 0.5) * size;
  float cover = clamp(size * 0.5 - far, 0.0, 1.0);
  if (cover <= 0.0) discard;
  result = vec4(shade.rgb, 1.0) * shade.a * cover;
}`;

export function makeScatter(canvas: HTMLCanvasElement): Scatter {
  const context = canvas.getContext("2d")!;
  const gl = document.createElement("canvas").getContext("webgl2", { antialias: false });
  return gl ? new GlScatter(gl, context) : new PlainScatter(context);
}

/** Points are drawn off the page and copied: Chromium without a graphics card loses part of a WebGL canvas below an open list. */
class GlScatter implements Scatter {
  private readonly program: WebGLProgram;
  private readonly buffers = new Map<string, WebGLBuffer>();
  private amount = 0;

  constructor(private readonly gl: WebGL2RenderingContext, private readonly context: CanvasRenderingContext2D) {
    this.program = gl.createProgram()!;
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program) ?? "WebGL");
    gl.useProgram(this.program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  setPositions(from: [Float32Array, Float32Array], to: [Float32Array, Float32Array]): void {
    this.amount = from[0].length;
    const named = { fromX: from[0], fromY: from[1], toX: to[0], toY: to[1] };
    for (const [name, values] of Object.entries(named)) this.fill(name, values, 1, this.gl.FLOAT, false);
  }

  setColors(colors: Uint8Array): void {
    this.fill("color", colors, 4, this.gl.UNSIGNED_BYTE, true);
  }

  private fill(name: string, values: Float32Array | Uint8Array, width: number, kind: number, normalized: boolean): void {
    const { gl } = this;
    if (!this.buffers.has(name)) this.buffers.set(name, gl.createBuffer()!);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.get(name)!);
    gl.bufferData(gl.ARRAY_BUFFER, values as BufferSource, gl.DYNAMIC_DRAW);
    const place = gl.getAttribLocation(this.program, name);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, width, kind, normalized, 0, 0);
  }

  draw(camera: Camera, share: number, radius: number, width: number, height: number, ratio: number, part: number): void {
    const { gl, context } = this;
    if (gl.canvas.width !== context.canvas.width) gl.canvas.width = context.canvas.width;
    if (gl.canvas.height !== context.canvas.height) gl.canvas.height = context.canvas.height;
    const uniform = (name: string) => gl.getUniformLocation(this.program, name);
    gl.viewport(0, 0, width * ratio, height * ratio);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(uniform("middle"), camera.x, camera.y);
    gl.uniform2f(uniform("scale"), (2 * camera.zoom) / width, (2 * camera.zoom) / height);
    gl.uniform1f(uniform("share"), share);
    gl.uniform1f(uniform("size"), 2 * radius * ratio);
    gl.drawArrays(gl.POINTS, 0, Math.ceil(this.amount * part));
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    context.drawImage(gl.canvas, 0, 0);
  }
}

class PlainScatter implements Scatter {
  private from: [Float32Array, Float32Array] = [new Float32Array(), new Float32Array()];
  private to = this.from;
  private colors: Uint8Array = new Uint8Array();

  constructor(private readonly context: CanvasRenderingContext2D) {}

  setPositions(from: [Float32Array, Float32Array], to: [Float32Array, Float32Array]): void {
    [this.from, this.to] = [from, to];
  }

  setColors(colors: Uint8Array): void {
    this.colors = colors;
  }

  draw(camera: Camera, share: number, radius: number, width: number, height: number, ratio: number, part: number): void {
    const { context, from, to, colors } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    for (let node = 0; node < from[0].length * part; node++) {
      const x = from[0][node] + (to[0][node] - from[0][node]) * share;
      const y = from[1][node] + (to[1][node] - from[1][node]) * share;
      const [red, green, blue, alpha] = colors.subarray(node * 4, node * 4 + 4);
      if (!alpha) continue;
      context.fillStyle = `rgb(${red} ${green} ${blue} / ${alpha / 255})`;
      context.beginPath();
      context.arc((x - camera.x) * camera.zoom + width / 2, height / 2 - (y - camera.y) * camera.zoom, radius, 0, 7);
      context.fill();
    }
  }
}
