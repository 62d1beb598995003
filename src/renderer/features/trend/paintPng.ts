import { createPlot, readLook, type PlotInput } from './plot.ts';

const width = 1200;
const height = 480;
const head = 64;

/** The trend as a picture on paper: always the light theme, with plant, times with zone and the note about quality. */
export async function paintPng(input: PlotInput, lines: string[], names: string[]): Promise<Blob | null> {
  const light = document.createElement('div');
  light.dataset.theme = 'light';
  light.className = 'offscreen';
  document.body.append(light);
  try {
    const look = readLook(light);
    const { plot } = createPlot(light, input, look, { width, height }, () => undefined);
    const canvas = document.createElement('canvas');
    const scale = plot.ctx.canvas.width / width;
    canvas.width = width * scale;
    canvas.height = (height + head) * scale;
    const ctx = canvas.getContext('2d');
    if (!ctx) return null;
    ctx.fillStyle = look.plot;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.drawImage(plot.ctx.canvas, 0, head * scale);
    ctx.font = look.font.replace(/^([\d.]+)px/, (_whole, size: string) => `${Number(size) * scale}px`);
    ctx.fillStyle = look.text1;
    lines.forEach((line, i) => ctx.fillText(line, 12 * scale, (16 + i * 14) * scale));
    let x = 12;
    names.forEach((name, i) => {
      ctx.fillStyle = look.series[i] ?? look.text1;
      ctx.fillText(`— ${name}`, x * scale, 58 * scale);
      x += ctx.measureText(`— ${name}`).width / scale + 20;
    });
    plot.destroy();
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  } finally {
    light.remove();
  }
}
