import type { Bilingual, Lang } from '../errors.ts';

export type ModbusTable = 'holding' | 'input' | 'coil' | 'discrete';
export type ScalarValue = number | boolean | string;

/** One value of an approval card. Every fact is computed by the core from parsed arguments, none by a model. */
export type ApprovalItem = {
  /** Tag name, or null for a raw register write. */
  tag: string | null;
  label: Bilingual;
  device: string;
  connection: string;
  unitId: number;
  table: ModbusTable;
  /** Zero-based, as sent. */
  address: number;
  /** As a manual prints it, e.g. 40001. */
  reference: string;
  now: ScalarValue | null;
  after: ScalarValue;
  /** Engineering unit, '' where there is none. */
  unit: string;
  direction: 'raises' | 'lowers' | 'same' | 'switches' | null;
  range: { min: number | null; max: number | null; maxStep: number | null };
  raw: { before: number[] | boolean[] | null; after: number[] | boolean[] };
  functionCode: number;
  undo: Bilingual;
  /** The card wants the value typed: a tag marked critical. */
  critical?: boolean;
  /** An undo: the write it takes back and the value we had written. */
  takesBack?: { callId: string; value: ScalarValue } | null;
};

/** A file to be written, as the card shows it. */
export type FileItem = {
  path: string;
  bytes: number;
  sha256: string;
  replaces: { bytes: number; sha256: string } | null;
  /** The file goes; `bytes` is 0. Only an undo does that, to a file that a write had made. */
  removes?: boolean;
  /** An undo: the call whose file write it takes back. */
  takesBack?: string | null;
};

export type ApprovalCard = {
  cardId: string;
  callId: string;
  sessionId: string;
  title: Bilingual;
  items: ApprovalItem[];
  /** A card is about plant values or about files, never both. */
  files?: FileItem[];
  /** SHA-256 over the canonical JSON of items and files: consent names exactly this. */
  digest: string;
  createdAt: string;
  expiresAt: string;
  words: string;
  /** Untrusted text that led here; such a card wants the value typed. */
  taint: string[];
};

export type ApprovalDecision = {
  approved: boolean;
  by: string;
  digest: string;
  how: 'hold' | 'typed' | 'cli-flag' | 'reject' | 'expired' | 'closed';
};

/** How the core reaches a person. The window shows the card; the command line looks at its --approve flags. */
export interface Approver {
  ask(card: ApprovalCard, signal: AbortSignal): Promise<ApprovalDecision>;
}

export type Armed = { device: string; until: string; by: string; reason: string };

export interface Arming {
  arm(devices: readonly string[], minutes: number, by: string, reason: string): Armed[];
  lock(why: string): void;
  list(): Armed[];
  isArmed(device: string): boolean;
  onChange(listener: (armed: Armed[]) => void): () => void;
}

/** `words(zh)` of a decision shown after a write. */
export type WriteVerdict = 'confirmed' | 'not-taken' | 'clamped' | 'overwritten' | 'different' | 'unknown';
export type VerdictText = Record<WriteVerdict, Record<Lang, string>>;
