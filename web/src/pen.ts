// What is needed of a canvas to draw the map.

export type Pen = Pick<
  CanvasRenderingContext2D,
  "beginPath" | "closePath" | "moveTo" | "lineTo" | "quadraticCurveTo" | "arc" | "fill" | "stroke" | "fillRect" | "fillText" | "strokeText" | "setLineDash" | "measureText"
> & {
  fillStyle: string | CanvasGradient | CanvasPattern;
  strokeStyle: string | CanvasGradient | CanvasPattern;
  lineWidth: number;
  lineJoin: CanvasLineJoin;
  globalAlpha: number;
  font: string;
  textBaseline: CanvasTextBaseline;
};
