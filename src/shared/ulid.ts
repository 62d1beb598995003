// ULID: 48 bits of milliseconds and 80 random bits in Crockford's base 32, 26 characters, sorts by time.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeChars = 10;
const randomChars = 16;
/** 2^48 - 1: the year 10889. */
const maxTime = 281_474_976_710_655;

const pattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isUlid(text: string): boolean {
  return pattern.test(text);
}

/** The moment a ULID was made, ms since epoch. */
export function ulidTime(id: string): number {
  let time = 0;
  for (let i = 0; i < timeChars; i++) time = time * 32 + alphabet.indexOf(id[i]!);
  return time;
}

/**
 * Ids that rise within one maker, also inside one millisecond and when the clock steps back, so that sorting by id is
 * sorting by making. `random` gives 16 bytes; five bits of each are used.
 */
export function createUlids(deps: { now(): number; random(): Uint8Array }): () => string {
  let lastTime = -1;
  let digits: number[] = [];
  return () => {
    const now = Math.min(Math.max(0, Math.floor(deps.now())), maxTime);
    if (now > lastTime) {
      lastTime = now;
      digits = Array.from(deps.random().subarray(0, randomChars), (byte) => byte & 31);
    } else if (!increment(digits)) {
      lastTime += 1; // 2^80 ids in one millisecond: borrow the next one
      digits = new Array<number>(randomChars).fill(0);
    }
    return timeText(lastTime) + digits.map((digit) => alphabet[digit]).join('');
  };
}

function increment(digits: number[]): boolean {
  for (let i = digits.length - 1; i >= 0; i--) {
    if (digits[i]! < 31) {
      digits[i]! += 1;
      return true;
    }
    digits[i] = 0;
  }
  return false;
}

function timeText(time: number): string {
  let rest = time;
  let text = '';
  for (let i = 0; i < timeChars; i++) {
    text = alphabet[rest % 32]! + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
