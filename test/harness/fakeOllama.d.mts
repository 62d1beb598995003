export type FakeRequest = {
  n: number;
  method: string;
  path: string;
  at: number;
  body:
    | {
        messages?: { role: string; content: string; tool_calls?: unknown[] }[];
        tools?: { function: { name: string } }[];
        options?: Record<string, unknown>;
        think?: unknown;
      }
    | undefined;
  aborted: boolean;
  dropped?: number;
  promptTokens?: number;
  numCtx?: number;
};
export type FakeOllama = {
  url: string;
  port: number;
  requests: FakeRequest[];
  problems: string[];
  turnsLeft(): number;
  close(): Promise<void>;
};
export function startFakeOllama(options: { scenario: unknown; port?: number; host?: string; log?: string }): Promise<FakeOllama>;
export function roughTokens(text: string): number;
