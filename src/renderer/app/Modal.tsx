import { useEffect, useRef, type ReactNode } from 'react';
import { StopButton } from './StopButton.tsx';

/**
 * A native modal dialog: it traps the focus and needs no style element. Stop stays at its place and can be pressed, and
 * Escape stops what runs besides closing the dialog (`useKeyboard`).
 */
export function Modal({
  open,
  className,
  label,
  onClose,
  children,
}: {
  open: boolean;
  className: string;
  label: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    if (open && !element.open) element.showModal();
    if (!open && element.open) element.close();
  }, [open]);
  return (
    <dialog ref={dialog} className={className} aria-label={label} onClose={onClose}>
      {open && (
        <>
          {children}
          <StopButton over />
        </>
      )}
    </dialog>
  );
}
