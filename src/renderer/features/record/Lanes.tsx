import { useEffect, useRef, useState } from 'react';
import { clockTime } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { isFaulty, isHand, lanes, type Step } from './timeline.ts';

/** Until the box has been measured. */
const firstWidth = 1000;
const laneHeight = 26;
const top = 22;
const left = 76;

/** What happened when, lane by lane; press goes there. */
export function Lanes({ steps, at, onGo }: { steps: readonly Step[]; at: number; onGo: (index: number) => void }) {
  const { say } = useWords();
  const box = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(firstWidth);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const seen = new ResizeObserver(() => setWidth(Math.max(200, element.clientWidth)));
    seen.observe(element);
    return () => seen.disconnect();
  }, []);
  const first = steps[0]?.at ?? 0;
  const span = Math.max(1, (steps.at(-1)?.at ?? 1) - first);
  const x = (time: number): number => left + ((time - first) / span) * (width - left - 12);
  const height = top + lanes.length * laneHeight;
  const now = steps[at];
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => first + share * span);
  return (
    <svg
      ref={box}
      className="lanes"
      viewBox={`0 0 ${width} ${height}`}
      height={height}
      role="img"
      aria-label={say('timeline.describe', { n: steps.length, from: clockTime(first), to: clockTime(first + span) })}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const time = first + ((((event.clientX - box.left) / box.width) * width - left) / (width - left - 12)) * span;
        let best = 0;
        steps.forEach((step, i) => {
          if (Math.abs(step.at - time) < Math.abs((steps[best]?.at ?? 0) - time)) best = i;
        });
        onGo(best);
      }}
    >
      {marks.map((time, i) => (
        <g key={i}>
          <path className="lane-grid" d={`M${x(time)} ${top - 4}V${height}`} />
          <text className="lane-time" x={x(time)} y="13" textAnchor={i === 0 ? 'start' : i === 4 ? 'end' : 'middle'}>
            {clockTime(time)}
          </text>
        </g>
      ))}
      {lanes.map((lane, i) => {
        const y = top + i * laneHeight;
        return (
          <g key={lane}>
            <path className="lane-grid" d={`M0 ${y}H${width}`} />
            <text x="10" y={y + 17}>
              {say(`lane.${lane}`)}
            </text>
            {steps.map((step, n) =>
              step.lane === lane ? (
                isFaulty(step) ? (
                  <path key={n} className="lane-fault" d={`M${x(step.at) - 4} ${y + 6}h8l-4 8z`} />
                ) : (
                  <rect
                    key={n}
                    className={isHand(step.event.kind) ? 'lane-hand' : 'lane-event'}
                    x={x(step.at) - 1.5}
                    y={y + 5}
                    width={isHand(step.event.kind) ? 5 : 3}
                    height={laneHeight - 10}
                  />
                )
              ) : null,
            )}
          </g>
        );
      })}
      {now && (
        <g>
          <path className="lane-now" d={`M${x(now.at)} ${top - 4}V${height}`} />
        </g>
      )}
    </svg>
  );
}
