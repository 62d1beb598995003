import { asHandrailError } from '../../shared/errors.ts';
import { callCore } from './connection.ts';
import { emptyTranscript, runningTurn, useTranscript } from './turns.ts';

/** Starts a conversation when there is none; one at a time, however often it is asked. */
let starting: Promise<string> | null = null;
export async function ensureSession(): Promise<string> {
  const { sessionId } = useTranscript.getState();
  if (sessionId !== null) return sessionId;
  starting ??= callCore('session.start', {})
    .then((started) => {
      useTranscript.setState({ sessionId: started.sessionId });
      return started.sessionId;
    })
    .finally(() => {
      starting = null;
    });
  return starting;
}

export async function newConversation(): Promise<void> {
  const { sessionId } = await callCore('session.start', {});
  useTranscript.setState({ ...emptyTranscript, sessionId });
}

/** Whether a question of ours is under way: from sending it to its answer, which may come before the news of its turn. */
let asking = false;

/** Something runs that Stop would end. */
export const isBusy = (): boolean => asking || runningTurn(useTranscript.getState()) !== null;

/** Sends a message, or keeps one as next while a turn runs. Words that could not be sent stay, with the reason. */
export async function ask(text: string, files: string[] = []): Promise<void> {
  const words = text.trim();
  if (words === '') return;
  if (asking) {
    useTranscript.setState({ queued: { text: words, files } });
    return;
  }
  asking = true;
  useTranscript.setState({ failed: null });
  try {
    const sessionId = await ensureSession();
    await callCore('turn.ask', { sessionId, text: words, ...(files.length > 0 ? { files } : {}) });
  } catch (error) {
    useTranscript.setState({ failed: { id: String(Date.now()), text: words, error: asHandrailError(error) } });
  } finally {
    asking = false;
  }
  const { queued, failed } = useTranscript.getState();
  if (queued !== null && failed === null) {
    useTranscript.setState({ queued: null });
    await ask(queued.text, queued.files);
  }
}

export async function stop(): Promise<void> {
  const { sessionId } = useTranscript.getState();
  useTranscript.setState({ queued: null });
  if (sessionId === null || !isBusy()) return;
  useTranscript.setState({ stopping: true });
  try {
    await callCore('turn.stop', { sessionId });
  } catch (error) {
    useTranscript.setState({ stopping: false, failed: { id: String(Date.now()), text: '', error: asHandrailError(error) } });
  }
}
