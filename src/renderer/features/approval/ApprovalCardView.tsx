import { ChevronDown, ChevronUp, Hand } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ApprovalCard, ApprovalItem } from '../../../shared/contracts/approvals.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { callCore } from '../../client/connection.ts';
import { usePlant } from '../../client/plant.ts';
import { hostNow } from '../../client/readings.ts';
import { useSettings } from '../../client/settings.ts';
import { speak } from '../../client/shell.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { useNow } from '../../ui/useNow.ts';
import { formatClock, formatHex, visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { HoldButton } from './HoldButton.tsx';
import { RangeRail } from './RangeRail.tsx';
import { freshMs, refusalToHold, typedMatches } from './hold.ts';
import { changeOf, itemDecimals, shownScalar } from './itemWords.ts';
import { useInFront } from './useInFront.ts';

/**
 * A decision that waits, built by the program from parsed arguments; no sentence of a model stands in it. It never takes
 * focus, nothing in it is shortened, and approving needs a hold (or the value typed) while the window is in front.
 */
export function ApprovalCardView({ card, arrivedAt, more }: { card: ApprovalCard; arrivedAt: number; more: number }) {
  const { say, both } = useWords();
  const now = useNow(100);
  const inFront = useInFront();
  const approveBy = useSettings((state) => state.settings.approveBy);
  const tags = usePlant((state) => state.tagById);
  const [seenToEnd, setSeenToEnd] = useState(false);
  const [deciding, setDeciding] = useState(false);
  const [error, setError] = useState<HandrailError | null>(null);
  const [done, setDone] = useState<readonly number[]>([]);
  const end = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const element = end.current;
    if (!element) return;
    const seen = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) setSeenToEnd(true);
    });
    seen.observe(element);
    return () => seen.disconnect();
  }, []);

  const left = Date.parse(card.expiresAt) - hostNow();
  const refusal = refusalToHold({ fresh: now - arrivedAt < freshMs, inFront, expired: left <= 0, seenToEnd, deciding });
  const critical = card.items.some((item) => item.tag !== null && tags.get(item.tag)?.write.critical === true);
  const typing = approveBy === 'type' || critical || card.taint.length > 0;

  useEffect(() => {
    if (left > 14_000 && left < 15_100) speak(say('approval.soon'));
  }, [left, say]);

  const decide = async (approved: boolean, how: 'hold' | 'typed' | 'reject'): Promise<void> => {
    setDeciding(true);
    setError(null);
    try {
      await callCore('approval.decide', { cardId: card.cardId, digest: card.digest, approved, how });
    } catch (failure) {
      setError(asHandrailError(failure));
      setDeciding(false);
    }
  };
  /** Several values: every one has its own hold, and the card is given only when all of them were held. */
  const consent = (index: number, how: 'hold' | 'typed'): void => {
    const held = done.includes(index) ? done : [...done, index];
    setDone(held);
    if (held.length === card.items.length) void decide(true, how);
  };
  const first = card.items[0];
  const title = say('approval.title', { n: card.items.length });
  return (
    <section
      className="ask"
      aria-label={first ? say('approval.region', { target: both(first.label), ...changeOf(first, itemDecimals(first, tags), say) }) : title}
    >
      <div className="ask-cap">
        <Hand aria-hidden="true" className="i" />
        <h2 id="approval-title" tabIndex={-1}>
          {title}
        </h2>
        {more > 0 && <span className="sec">{say('approval.more', { n: more })}</span>}
        <span className="grow" />
        <span>
          {left > 0 ? say('approval.expires') : say('approval.over')} {left > 0 && <b>{formatClock(left)}</b>}
        </span>
      </div>
      <div className="ask-body">
        {card.items.map((item, index) => (
          <Item key={index} item={item} words={card.words} decimals={itemDecimals(item, tags)}>
            {done.includes(index) ? (
              <p className="ask-held">{say('approval.held')}</p>
            ) : typing ? (
              <TypedConsent
                item={item}
                decimals={itemDecimals(item, tags)}
                taint={card.taint}
                disabled={refusal !== null}
                onTyped={() => consent(index, 'typed')}
                onReject={index === 0 ? () => void decide(false, 'reject') : null}
              />
            ) : (
              <div className="ask-do">
                {index === 0 && (
                  <button type="button" className="act act-no" disabled={deciding} onClick={() => void decide(false, 'reject')}>
                    {say('approval.reject')}
                  </button>
                )}
                <HoldButton
                  label={say('approval.hold', { value: withUnit(shownScalar(item.after, itemDecimals(item, tags), say), item.unit) })}
                  hint={say('approval.hold.hint')}
                  disabled={refusal !== null}
                  onHeld={() => consent(index, 'hold')}
                />
              </div>
            )}
          </Item>
        ))}
        {refusal !== null && refusal !== 'fresh' && refusal !== 'deciding' && <p className="ask-why">{say(`approval.${refusal}`)}</p>}
        {error && <ErrorText error={error} />}
        <span ref={end} className="ask-end" />
      </div>
    </section>
  );
}

const withUnit = (value: string, unit: string): string => (unit === '' ? value : `${value}\u2009${unit}`);

function Item({ item, words, decimals, children }: { item: ApprovalItem; words: string; decimals: number; children: ReactNode }) {
  const { say, both } = useWords();
  const change = changeOf(item, decimals, say);
  return (
    <div className="ask-item">
      <div className="ask-target">
        <span>{both(item.label)}</span>
        <span className="sec mono">{item.tag ?? `${item.table} ${item.address}`}</span>
      </div>
      <div className="ask-change">
        <span className="from">
          <span className="label">{say('approval.now')}</span> {change.now}
        </span>
        <span className="arrow" aria-hidden="true">
          →
        </span>
        <span className="to">
          <span className="label">{say('approval.after')}</span> {change.after}
          <span className="u">{item.unit}</span>
        </span>
        {change.direction !== '' && (
          <span className="dir">
            {item.direction === 'raises' ? (
              <ChevronUp aria-hidden="true" className="i" />
            ) : item.direction === 'lowers' ? (
              <ChevronDown aria-hidden="true" className="i" />
            ) : null}
            {change.direction}
          </span>
        )}
      </div>
      <RangeRail item={item} decimals={decimals} />
      <dl className="facts">
        <dt>{say('approval.where')}</dt>
        <dd>
          {say('approval.where.value', {
            connection: item.connection,
            unit: item.unitId,
            reference: item.reference,
            wire: item.address,
            hex: formatHex(item.address),
          })}
        </dd>
        <dt>{say('approval.frame')}</dt>
        <dd>
          {say('approval.frame.value', {
            fc: String(item.functionCode).padStart(2, '0'),
            before: rawWords(item.raw.before),
            after: rawWords(item.raw.after),
          })}
        </dd>
        <dt>{say('approval.undo')}</dt>
        <dd>{both(item.undo)}</dd>
        {words !== '' && (
          <>
            <dt>{say('approval.words')}</dt>
            <dd className="wrap">“{visible(words)}”</dd>
          </>
        )}
      </dl>
      {children}
    </div>
  );
}

const rawWords = (raw: readonly (number | boolean)[] | null): string =>
  raw === null ? '—' : raw.map((word) => (typeof word === 'number' ? `0x${formatHex(word)}` : word ? '1' : '0')).join(' ');

function TypedConsent({
  item,
  decimals,
  taint,
  disabled,
  onTyped,
  onReject,
}: {
  item: ApprovalItem;
  decimals: number;
  taint: readonly string[];
  disabled: boolean;
  onTyped: () => void;
  onReject: (() => void) | null;
}) {
  const { say } = useWords();
  const [typed, setTyped] = useState('');
  const after = shownScalar(item.after, decimals, say);
  const fits = typedMatches(typed, after, item.unit);
  return (
    <form
      className="ask-typed"
      onSubmit={(event) => {
        event.preventDefault();
        if (fits && !disabled) onTyped();
      }}
    >
      {taint.length > 0 && (
        <blockquote>
          {say('approval.taint')} {taint.map(visible).join(' · ')}
        </blockquote>
      )}
      <label className="row-field">
        {say('approval.type', { value: withUnit(after, item.unit) })}
        <input className="input" value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
      </label>
      <div className="ask-do">
        {onReject && (
          <button type="button" className="act act-no" onClick={onReject}>
            {say('approval.reject')}
          </button>
        )}
        <button type="submit" className="act act-yes" disabled={disabled || !fits}>
          {say('approval.write', { value: withUnit(after, item.unit) })}
        </button>
      </div>
    </form>
  );
}
