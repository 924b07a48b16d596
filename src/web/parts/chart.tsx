import { useEffect, useRef } from "react";
import { saveBlob } from "../data/browser.ts";

interface ChartProps<Data> {
  readonly name: string;
  /** Anything that is the same as JSON. */
  readonly data: Data;
  /** Draws the chart for a width; loads the library on first use. */
  readonly draw: (data: Data, width: number) => Promise<Element>;
  /** Describes the picture to those who cannot see it. */
  readonly words: string;
}

/** Shows a chart that follows the width of its place and can be downloaded as SVG or PNG. */
export function Chart<Data>({ name, data, draw, words }: ChartProps<Data>) {
  const text = JSON.stringify(data);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    let drawn = 0;
    const redraw = async () => {
      const width = Math.round(current.clientWidth);
      if (width === drawn || width === 0) return;
      drawn = width;
      const picture = await draw(JSON.parse(text), width);
      // The page's own style sheet has these rules, and its policy allows no other.
      for (const style of picture.querySelectorAll("style")) style.remove();
      // The whole is one picture with a label of its own.
      for (const part of picture.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
      if (width === drawn) current.replaceChildren(picture);
    };
    const watcher = new ResizeObserver(() => void redraw());
    watcher.observe(current);
    return () => watcher.disconnect();
  }, [text, draw]);
  const svg = () => place.current?.querySelector("svg") ?? null;
  return (
    <figure>
      <div ref={place} role="img" aria-label={words} />
      <figcaption className="bar small">
        <span className="quiet">{words}</span>
        <button type="button" onClick={() => saveSvg(svg(), name)}>
          SVG
        </button>
        <button type="button" onClick={() => savePng(svg(), name)}>
          PNG
        </button>
      </figcaption>
    </figure>
  );
}

function saveSvg(svg: SVGSVGElement | null, name: string): void {
  if (svg !== null) saveBlob(new Blob([toText(svg)], { type: "image/svg+xml" }), `${name}.svg`);
}

async function savePng(svg: SVGSVGElement | null, name: string): Promise<void> {
  if (svg === null) return;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(toText(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = svg.clientWidth * 2;
  canvas.height = svg.clientHeight * 2;
  const brush = canvas.getContext("2d");
  if (brush === null) return;
  brush.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
  brush.fillRect(0, 0, canvas.width, canvas.height);
  brush.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob !== null && saveBlob(blob, `${name}.png`), "image/png");
}

/** Writes the page's colours into the picture, so that it looks the same elsewhere. */
function toText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const { color, fontFamily, fontSize } = getComputedStyle(svg);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("color", color);
  copy.setAttribute("font-family", fontFamily);
  copy.setAttribute("font-size", fontSize);
  const colours = ["fill", "stroke"] as const;
  const originals = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, index) => {
    const original = originals[index];
    for (const name of colours) {
      const value = element.getAttribute(name);
      if (value?.includes("var(") && original) element.setAttribute(name, getComputedStyle(original)[name]);
    }
  });
  return new XMLSerializer().serializeToString(copy);
}
