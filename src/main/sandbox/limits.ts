/** Every limit of a run, with its unit and the reason for its default. */
export const runLimits = {
  timeoutMs: { default: 5_000, min: 1_000, max: 30_000 }, // spec C2: wall clock 1 to 30 s
  memoryMb: { default: 512, min: 64, max: 512 }, // numpy, pandas and matplotlib need 279 MB of address space
  tasks: 32, // processes and threads of one run
  openFiles: 128,
  fileBytes: 512 * 1024,
  workspaceBytes: 16 * 1024 * 1024,
  workspaceFiles: 1_024, // a tmpfs without a bound on inodes takes 1 KB of kernel memory for each empty file
  cpuSeconds: 40, // behind the wall clock: ends a program even when the broker is gone
  codeBytes: 256 * 1024,
  inputBytes: 12 * 1024 * 1024, // they lie in the workspace too
  streamKeptBytes: 256 * 1024, // per stream; what is beyond is counted, not kept
  streamKillBytes: 4 * 1024 * 1024, // a flood is ended here
  resultChars: 1_000_000,
  imageChars: 3_000_000,
  channelBytes: 8 * 1024 * 1024, // everything a program may send on the result channel, questions included
  toolCalls: 200,
  toolAnswerChars: 8 * 1024 * 1024,
  running: 8, // at once; the rest waits
  waiting: 128, // beyond this a run is refused with SANDBOX_BUSY
  watchEveryMs: 25,
} as const;

export function within(bounds: { default: number; min: number; max: number }, value: number | undefined): number {
  return value === undefined || !Number.isFinite(value) ? bounds.default : Math.min(bounds.max, Math.max(bounds.min, Math.round(value)));
}
