/** Did the person, who was told what a subnet scan does, say to do it? */
export const saysNow = (words: string): boolean => /\bnow\b|现在|立即|马上|确认/iu.test(words);

/** About how long a subnet scan takes: 16 hosts at once, two units each, half a second a silent one. */
export const subnetScanSeconds = (addresses: number): number => Math.max(1, Math.ceil(addresses / 16));

/** Addresses of a network as it is written; null where it is none of ours. */
export function addressesOf(subnet: string): number | null {
  const bits = Number(/\/(\d{1,2})$/.exec(subnet)?.[1] ?? Number.NaN);
  if (!(bits >= 24 && bits <= 32)) return null;
  const size = 2 ** (32 - bits);
  return size > 2 ? size - 2 : size;
}

/** At most so long a scan of units takes: a silent one is waited for, 0.3 s on a line and 0.5 s on TCP, ten and fifty a second at most. */
export const unitScanSeconds = (units: number, serial: boolean): number => Math.max(1, Math.ceil(units * (serial ? 0.4 : 0.5)));
