import { HandrailError } from '../../shared/errors.ts';
import type { ApprovalItem, Approver, FileItem, ScalarValue } from '../../shared/contracts/approvals.ts';
import type { WriteTarget } from '../../shared/contracts/tools.ts';

export type ExactConsent = {
  approver: Approver;
  /** Devices to arm for this run: those of the named tags and registers. */
  devices: string[];
  /** A person named this very register; default-deny for unlisted addresses gives way to that. */
  names(target: Pick<WriteTarget, 'tag' | 'device' | 'unitId' | 'table' | 'address'>): boolean;
};

type Plan = {
  /** The device of a tag, or undefined where there is no such tag. */
  deviceOfTag(tag: string): string | undefined;
  /** The device of a unit number or device id. */
  deviceOfUnit(unitOrDevice: string): string | undefined;
};
type Named = { text: string; device: string; value: string } & (
  { kind: 'tag'; tag: string } | { kind: 'register'; unit: string; table: string; address: number }
);

/**
 * The command line's person: `--approve TAG=VALUE`, `--approve UNIT:TABLE:ADDRESS=V1,V2`, `--approve file:PATH=SHA256` (`=removed`).
 * It consents to a card only when every line of it is named, with exactly the value; one flag consents as often as its
 * value is asked for in this run, which the gateway's own limits bound. An undo is consented to by the value it restores, or by
 * the value it takes back: either names exactly one write.
 */
export function createExactConsent(approvals: readonly string[], plant: Plan, by: string): ExactConsent {
  const files = new Map<string, string>();
  const named: Named[] = [];
  for (const text of approvals) {
    const file = /^file:(.+)=([0-9a-f]{64}|removed)$/.exec(text);
    if (file) files.set(file[1]!, file[2]!);
    else named.push(readFlag(text, plant));
  }
  const nameOf = (item: ApprovalItem): string => item.tag ?? `${item.unitId}:${item.table}:${item.address}`;
  const fits = (n: Named, item: Pick<ApprovalItem, 'tag' | 'device' | 'unitId' | 'table' | 'address'>): boolean =>
    n.kind === 'tag'
      ? n.tag === item.tag
      : item.tag === null &&
        (n.unit === String(item.unitId) || n.unit === item.device) &&
        n.table === item.table &&
        n.address === item.address;
  const consents = (item: ApprovalItem): boolean =>
    named.some(
      (n) =>
        fits(n, item) &&
        (sameValue(n.value, item.after) ||
          (item.takesBack !== null && item.takesBack !== undefined && sameValue(n.value, item.takesBack.value))),
    );
  const afterOf = (item: FileItem): string => (item.removes === true ? 'removed' : item.sha256);
  /** Like a value, an undo is named by what it restores or by what it takes back. */
  const consentsFile = (item: FileItem): boolean => {
    const said = files.get(item.path);
    return said !== undefined && (said === afterOf(item) || (typeof item.takesBack === 'string' && said === item.replaces?.sha256));
  };

  return {
    devices: [...new Set(named.map((n) => n.device))],
    names: (target) => named.some((n) => n.kind === 'register' && fits(n, target)),
    approver: {
      ask(card) {
        const item = card.items.find((i) => !consents(i));
        if (item !== undefined) {
          const other = named.find((n) => fits(n, item));
          const key = `${nameOf(item)}=${String(item.after)}`;
          const detail = { target: nameOf(item), tag: nameOf(item), now: item.now, after: item.after, unit: item.unit, approve: key };
          if (other !== undefined) {
            throw new HandrailError('APPROVAL_MISMATCH', {
              detail: { ...detail, reason: `consent names ${other.text}, the write is ${key}` },
              message: {
                en: `The consent names ${other.text}, but the write would be ${key}. Nothing was written.`,
                zh: `同意的是 ${other.text}，而写入为 ${key}。未写入任何值。`,
              },
            });
          }
          throw new HandrailError('APPROVAL_NEEDED', {
            detail,
            message: {
              en: `This write needs a person: ${nameOf(item)} from ${said(item.now, item)} to ${said(item.after, item)}.`,
              zh: `此写入需要人工确认：${nameOf(item)} 从 ${said(item.now, item)} 到 ${said(item.after, item)}。`,
            },
            advice: {
              en: `Consent with --approve ${key}, or hold Approve in the window.`,
              zh: `用 --approve ${key} 同意，或在窗口中按住“批准”。`,
            },
          });
        }
        const file = (card.files ?? []).find((f) => !consentsFile(f));
        if (file !== undefined) {
          const key = `file:${file.path}=${afterOf(file)}`;
          throw new HandrailError('APPROVAL_NEEDED', {
            detail: { target: file.path, now: file.replaces?.sha256 ?? null, after: afterOf(file), approve: key },
            message: {
              en: `${file.removes === true ? 'Removing' : 'Writing'} ${file.path} (${file.bytes} bytes) needs a person.`,
              zh: `${file.removes === true ? '删除' : '写入'} ${file.path}（${file.bytes} 字节）需要人工确认。`,
            },
            advice: { en: `Consent with --approve ${key}, or approve in the window.`, zh: `用 --approve ${key} 同意，或在窗口中批准。` },
          });
        }
        return Promise.resolve({ approved: true, by, digest: card.digest, how: 'cli-flag' });
      },
    },
  };
}

function said(value: ScalarValue | null, item: ApprovalItem): string {
  return value === null ? '?' : `${String(value)}${item.unit === '' ? '' : ` ${item.unit}`}`;
}

function readFlag(text: string, plant: Plan): Named {
  const at = text.indexOf('=');
  const name = text.slice(0, at).trim();
  const value = text.slice(at + 1).trim();
  if (at <= 0 || value === '') throw usage(`--approve takes TAG=VALUE, not "${text.slice(0, 80)}"`);
  const register = /^([^:]+):(holding|coil):(\d{1,5})$/.exec(name);
  if (register !== null) {
    const [, unit, table, address] = register as unknown as [string, string, string, string];
    const device = plant.deviceOfUnit(unit);
    if (device === undefined) throw new HandrailError('DEVICE_UNKNOWN', { detail: { device: unit, known: 'list_tags' } });
    return { kind: 'register', text, device, value, unit, table, address: Number(address) };
  }
  const device = plant.deviceOfTag(name);
  if (device === undefined) throw new HandrailError('DEVICE_TAG_UNKNOWN', { detail: { tag: name, known: 'list_tags' } });
  return { kind: 'tag', text, device, value, tag: name };
}

/** Exact: the same number however it is written (50, 50.0), the same truth (on, true, 1), the same text. */
export function sameValue(text: string, value: ScalarValue): boolean {
  if (typeof value === 'number') return /^[+-]?(\d+(\.\d+)?|\.\d+)$/.test(text) && Number(text) === value;
  if (typeof value === 'boolean') return (value ? ['true', 'on', '1'] : ['false', 'off', '0']).includes(text.toLowerCase());
  if (text === value) return true;
  const list = (s: string): string =>
    s
      .split(',')
      .map((part) => part.trim())
      .join(',');
  return /^[-+\d.,\s]+$|^(true|false)(,\s*(true|false))*$/.test(value) && list(text) === list(value);
}

const usage = (reason: string): HandrailError => new HandrailError('ARGS_USAGE', { detail: { reason } });
