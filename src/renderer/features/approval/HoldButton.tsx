import { Fingerprint } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { holdMs, startsHold } from './hold.ts';

/** An outline that fills while it is held; leaving it, letting go or losing the window cancels. */
export function HoldButton({ label, hint, disabled, onHeld }: { label: string; hint: string; disabled: boolean; onHeld: () => void }) {
  const [held, setHeld] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const latest = useRef({ onHeld, disabled });
  useEffect(() => {
    latest.current = { onHeld, disabled };
    // A card that may no longer be approved lets go of a hold that is under way.
    if (disabled && timer.current !== null) {
      clearTimeout(timer.current);
      timer.current = null;
    }
  });
  const cancel = (): void => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = null;
    setHeld(false);
  };
  const begin = (): void => {
    if (disabled || timer.current !== null) return;
    setHeld(true);
    timer.current = setTimeout(() => {
      cancel();
      if (!latest.current.disabled) latest.current.onHeld();
    }, holdMs);
  };
  useEffect(() => {
    addEventListener('blur', cancel);
    return () => {
      removeEventListener('blur', cancel);
      cancel();
    };
  }, []);
  return (
    <button
      type="button"
      className={`act act-yes ${held && !disabled ? 'held' : ''}`}
      aria-disabled={disabled}
      aria-description={hint}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        begin();
      }}
      onPointerMove={(event) => {
        // With the pointer captured, leaving shows only in the coordinates.
        const box = event.currentTarget.getBoundingClientRect();
        if (event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom) cancel();
      }}
      onPointerUp={cancel}
      onPointerCancel={cancel}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (startsHold(event)) begin();
        // Enter and Space would press a button; here they must do nothing at all.
        if (event.key === 'Enter' || event.key === ' ') event.preventDefault();
      }}
      onKeyUp={(event) => {
        if (event.key === 'Enter' || event.key === 'Control') cancel();
        if (event.key === ' ') event.preventDefault();
      }}
      onBlur={cancel}
    >
      <Fingerprint aria-hidden="true" className="i" />
      <span>{label}</span>
    </button>
  );
}
