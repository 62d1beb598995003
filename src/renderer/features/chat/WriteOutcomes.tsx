import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { WriteOutcome } from '../../../shared/contracts/tools.ts';
import type { ResultEnvelope } from '../../../shared/contracts/calls.ts';
import { asHandrailError, type HandrailError, type WireError } from '../../../shared/errors.ts';
import { ensureSession } from '../../client/asking.ts';
import { callCore } from '../../client/connection.ts';
import { usePlant } from '../../client/plant.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { thinSpace } from '../../words/format.ts';
import { formatValue } from '../../words/values.ts';
import { useWords } from '../../words/words.ts';

/** The writes of a result as the gateway reports them; anything else is no write. */
export function writesOf(result: ResultEnvelope | null): WriteOutcome[] {
  const value = result?.ok ? result.result : null;
  if (typeof value !== 'object' || value === null || !('writes' in value) || !Array.isArray(value.writes)) return [];
  return value.writes as WriteOutcome[];
}

/** What became of each value, by its read-back; and the way back, which is a new write with its own card. */
export function WriteOutcomes({ result }: { result: ResultEnvelope }) {
  return writesOf(result).map((write, i) => <Outcome key={i} write={write} />);
}

function Outcome({ write }: { write: WriteOutcome }) {
  const { say, both, lang } = useWords();
  const tag = usePlant((state) => (write.tag === null ? undefined : state.tagById.get(write.tag)));
  const [state, setState] = useState<{ asked: boolean; error: HandrailError | WireError | null; undone: boolean }>({
    asked: false,
    error: null,
    undone: false,
  });
  const decimals = { decimals: tag?.decimals ?? 0 };
  const shown = (value: WriteOutcome['before']): string =>
    formatValue(decimals, value, say) + (write.unit === '' ? '' : thinSpace + write.unit);
  const name = tag ? both(tag.name) : (write.tag ?? `${write.connection} ${write.reference}`);
  const undo = async (): Promise<void> => {
    setState({ asked: true, error: null, undone: false });
    try {
      const answer = await callCore('tool.call', {
        sessionId: await ensureSession(),
        tool: 'undo',
        args: write.tag === null ? {} : { tag: write.tag },
        lang,
      });
      setState({ asked: false, error: answer.error, undone: answer.ok });
    } catch (failure) {
      setState({ asked: false, error: asHandrailError(failure), undone: false });
    }
  };
  return (
    <div className="write-outcome">
      <span>
        {say(`write.${write.verdict}`, { target: name, now: shown(write.now), before: shown(write.before), after: shown(write.after) })}
      </span>
      {write.undoable && write.verdict === 'confirmed' && write.undoes === null && !state.undone && (
        <button type="button" className="btn small" disabled={state.asked} onClick={() => void undo()}>
          <Undo2 aria-hidden="true" className="i" />
          {say(state.asked ? 'step.waiting' : 'undo.offer', { value: shown(write.before) })}
        </button>
      )}
      {state.undone && <span>{say('undo.done')}</span>}
      {state.error && <ErrorText error={state.error} />}
    </div>
  );
}
