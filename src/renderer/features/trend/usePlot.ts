import { useEffect, useRef, useState, type RefObject } from 'react';
import 'uplot/dist/uPlot.min.css';
import { useSettings } from '../../client/settings.ts';
import { createPlot, readLook, type PlotInput } from './plot.ts';

type Moves = { zoom(factor: number, at: number): void; pan(byMs: number): void; pin(at: number): void };

/** Keeps a canvas in step with its data; built anew only when lanes, size, theme or density change. */
export function usePlot(
  host: RefObject<HTMLDivElement | null>,
  input: PlotInput,
  onCursor: (at: number | null) => void,
  moves: Moves,
): void {
  const theme = useSettings((state) => `${state.settings.theme} ${state.settings.density} ${state.settings.lang}`);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [look, setLook] = useState(0);
  const made = useRef<ReturnType<typeof createPlot> | null>(null);
  const latest = useRef({ input, onCursor, moves });
  useEffect(() => {
    latest.current = { input, onCursor, moves };
  });
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const seen = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    seen.observe(element);
    const attributes = new MutationObserver(() => setLook((n) => n + 1));
    attributes.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-density'] });
    return () => {
      seen.disconnect();
      attributes.disconnect();
    };
  }, [host]);

  const shape = input.lanes.map((lane) => `${lane.unit}:${lane.tags.map((tag) => tag.id).join(',')}`).join('|');
  useEffect(() => {
    const element = host.current;
    if (!element || size.width < 50 || size.height < 30 || shape === '') return;
    made.current = createPlot(element, latest.current.input, readLook(element), size, (at) => latest.current.onCursor(at));
    const { plot } = made.current;
    const over = plot.over;
    let drag: { x: number } | null = null;
    const spanPerPixel = (): number => (latest.current.input.to - latest.current.input.from) / Math.max(1, over.clientWidth);
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      latest.current.moves.zoom(event.deltaY > 0 ? 1.25 : 0.8, latest.current.input.from + event.offsetX * spanPerPixel());
    };
    const onDown = (event: PointerEvent): void => {
      if (event.shiftKey) return latest.current.moves.pin(latest.current.input.from + event.offsetX * spanPerPixel());
      drag = { x: event.clientX };
      over.setPointerCapture(event.pointerId);
    };
    const onMove = (event: PointerEvent): void => {
      if (!drag || Math.abs(event.clientX - drag.x) < 4) return;
      latest.current.moves.pan((event.clientX - drag.x) * spanPerPixel());
      drag = { x: event.clientX };
    };
    const onUp = (): void => {
      drag = null;
    };
    over.addEventListener('wheel', onWheel, { passive: false });
    over.addEventListener('pointerdown', onDown);
    over.addEventListener('pointermove', onMove);
    over.addEventListener('pointerup', onUp);
    return () => {
      plot.destroy();
      made.current = null;
    };
  }, [host, shape, size, theme, look]);

  useEffect(() => {
    made.current?.feed(input);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the object is new at each render; these are its parts
  }, [input.series, input.marks, input.from, input.to, input.words, input.pin]);
}
