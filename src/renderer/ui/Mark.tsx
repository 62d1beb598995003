/** The marks of state. Each has its own shape, so that they stay apart without colour; none of them blinks. */
export type MarkKind = 'stale' | 'bad' | 'uncertain' | 'device-silent' | 'outside';

export function Mark({ kind, label }: { kind: MarkKind; label?: string }) {
  const common = {
    width: 16,
    height: 16,
    viewBox: '0 0 16 16',
    className: `mark mark-${kind}`,
    ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true }),
  } as const;
  switch (kind) {
    case 'stale':
      return (
        <svg {...common}>
          <circle cx="8" cy="8" r="6.2" />
          <path d="M8 4.5V8l2.500 1.500" />
        </svg>
      );
    case 'bad':
      return (
        <svg {...common}>
          <circle cx="8" cy="8" r="6.2" />
          <path d="M3.700 3.700l8.600 8.600" />
        </svg>
      );
    case 'uncertain':
      return (
        <svg {...common}>
          <circle cx="8" cy="8" r="6.2" />
          <path d="M6.200 6.300a1.900 1.900 0 1 1 2.600 1.800c-.6.300-.8.600-.8 1.200M8 11.400v.1" />
        </svg>
      );
    case 'device-silent':
      return (
        <svg {...common}>
          <path className="mark-fill" d="M8 .500 15.500 8 8 15.500.500 8z" />
          <path className="mark-on" d="M8 4.500v4.300M8 11v.2" />
        </svg>
      );
    case 'outside':
      return (
        <svg {...common}>
          <path d="M8 2.500 14.200 13.500H1.800z" />
        </svg>
      );
    default:
      return kind satisfies never;
  }
}
