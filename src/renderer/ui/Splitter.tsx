import { useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { bounds, resetSize, resize, sizeOf, step, useLayout, type Sized } from '../client/layout.ts';

/** Between two panes: drag it, or focus it and press an arrow; a double press gives back the usual size. */
export function Splitter({ what, label, grows }: { what: Sized; label: string; grows: 'right' | 'up' }) {
  const size = useLayout((layout) => sizeOf(layout, what));
  const drag = useRef<{ at: number; size: number } | null>(null);
  const place = (event: PointerEvent): number => (grows === 'right' ? event.clientX : -event.clientY);
  const onKeyDown = (event: KeyboardEvent): void => {
    const [less, more] = grows === 'right' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowDown', 'ArrowUp'];
    if (event.key === more) resize(what, size + step);
    else if (event.key === less) resize(what, size - step);
    else if (event.key === 'Home') resize(what, bounds[what][0]);
    else if (event.key === 'Enter') resetSize(what);
    else return;
    event.preventDefault();
  };
  return (
    <div
      className={`splitter splitter-${what}`}
      role="separator"
      aria-orientation={grows === 'right' ? 'vertical' : 'horizontal'}
      aria-label={label}
      aria-valuenow={size}
      aria-valuemin={bounds[what][0]}
      aria-valuemax={bounds[what][1]}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onDoubleClick={() => resetSize(what)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { at: place(event), size };
      }}
      onPointerMove={(event) => {
        if (drag.current) resize(what, drag.current.size + place(event) - drag.current.at);
      }}
      onPointerUp={() => {
        drag.current = null;
      }}
      onPointerCancel={() => {
        drag.current = null;
      }}
    />
  );
}
