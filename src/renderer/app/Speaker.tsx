import { useShell } from '../client/shell.ts';

/** The two live regions; live values are never one. */
export function Speaker() {
  const spoken = useShell((state) => state.spoken);
  const alert = useShell((state) => state.alert);
  return (
    <>
      <div className="vh" role="status" aria-live="polite">
        {spoken}
      </div>
      <div className="vh" role="alert" aria-live="assertive">
        {alert}
      </div>
    </>
  );
}
