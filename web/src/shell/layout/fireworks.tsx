import { useEffect, useRef } from 'react';

interface Spark {
  x: number;
  y: number;
  /** Pixels per animation frame. */
  speed: [x: number, y: number];
  hue: number;
  /** Brightness, decreasing from 1 to 0. */
  light: number;
}

const SPARKS = 60;
const BURST_EVERY = 24;

function burst(width: number, height: number): Spark[] {
  const [x, y, hue] = [
    width * (0.15 + 0.7 * Math.random()),
    height * (0.15 + 0.4 * Math.random()),
    360 * Math.random(),
  ];
  return Array.from({ length: SPARKS }, () => {
    const [angle, speed] = [2 * Math.PI * Math.random(), 1 + 3 * Math.random()];
    return { x, y, hue, light: 1, speed: [speed * Math.cos(angle), speed * Math.sin(angle)] };
  });
}

function draw(pen: CanvasRenderingContext2D, sparks: Spark[]): Spark[] {
  pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
  for (const spark of sparks) {
    spark.x += spark.speed[0];
    spark.y += spark.speed[1];
    spark.speed[1] += 0.03;
    spark.light -= 0.012;
    pen.fillStyle = `hsl(${spark.hue} 90% 60% / ${Math.max(0, spark.light)})`;
    pen.fillRect(spark.x, spark.y, 3, 3);
  }
  return sparks.filter(({ light }) => light > 0);
}

/** Covers the page without taking clicks; draws nothing if the user prefers reduced motion. */
export function Fireworks() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (!pen || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const { canvas: sheet } = pen;
    sheet.width = window.innerWidth;
    sheet.height = window.innerHeight;
    let sparks: Spark[] = [];
    let frames = 0;
    let request = 0;
    const step = () => {
      if (frames++ % BURST_EVERY === 0) sparks.push(...burst(sheet.width, sheet.height));
      sparks = draw(pen, sparks);
      request = requestAnimationFrame(step);
    };
    step();
    return () => cancelAnimationFrame(request);
  }, []);
  return (
    <canvas ref={canvas} aria-hidden style={{ position: 'fixed', inset: 0, pointerEvents: 'none', zIndex: 2000 }} />
  );
}
