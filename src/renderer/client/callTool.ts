import { HandrailError, type ErrorCode } from '../../shared/errors.ts';
import { ensureSession } from './asking.ts';
import { callCore } from './connection.ts';
import { useSettings } from './settings.ts';
import type { AskOptions } from '../../shared/rpcClient.ts';

/** A person's own call of a tool, through the gateway as every other; throws what the envelope carries as error. */
export async function callTool<R>(tool: string, args: Record<string, unknown>, options?: AskOptions): Promise<R> {
  const { lang } = useSettings.getState().settings;
  const result = await callCore('tool.call', { sessionId: await ensureSession(), tool, args, lang }, options);
  if (!result.error) return result.result as R;
  const { code, message, advice, retry, detail } = result.error;
  const both = (text: string): { en: string; zh: string } => ({ en: text, zh: text });
  throw new HandrailError(code satisfies ErrorCode, { message: both(message), advice: both(advice), retry, detail });
}
