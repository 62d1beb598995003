import type { Writable } from 'node:stream';

/** Writes a piece and waits until there is room for the next, or until the stream has failed: its owner looks at that. */
export function writeWithRoom(stream: Writable, text: string): Promise<void> {
  if (stream.destroyed || stream.errored !== null || stream.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const go = (): void => {
      stream.off('drain', go);
      stream.off('error', go);
      resolve();
    };
    stream.on('drain', go);
    stream.on('error', go);
  });
}
