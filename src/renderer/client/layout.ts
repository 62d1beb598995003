import { create } from 'zustand';

/** What a person may size, in px; each has its bounds and what it is without them. */
export type Sized = 'plant' | 'chat' | 'trend' | 'drawer';
type SizeClass = 'narrow' | 'wide' | 'huge';
type Layout = { sizes: Partial<Record<Sized, number>>; plantShut: boolean; trendShut: boolean };

export const bounds: Record<Sized, readonly [number, number]> = {
  plant: [160, 480],
  chat: [300, 640],
  trend: [120, 900],
  drawer: [100, 900],
};
const usual: Record<SizeClass, Record<Sized, number>> = {
  narrow: { plant: 48, chat: 372, trend: 216, drawer: 200 },
  wide: { plant: 236, chat: 420, trend: 244, drawer: 200 },
  huge: { plant: 288, chat: 580, trend: 244, drawer: 320 },
};
export const step = 16;

const sizeClass = (): SizeClass => (innerWidth < 1280 ? 'narrow' : innerWidth < 2000 ? 'wide' : 'huge');
const keyOf = (size: SizeClass): string => `handrail.layout.${size}`;
const nothing: Layout = { sizes: {}, plantShut: false, trendShut: false };

/** Kept by the browser for each size class of the window; what cannot be read is left aside, a layout is not worth an error. */
function read(size: SizeClass): Layout {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(size)) ?? 'null') as Partial<Layout> | null;
    if (kept === null || typeof kept !== 'object') return nothing;
    const sizes = Object.fromEntries(
      Object.entries(kept.sizes ?? {}).filter(([name, value]) => name in bounds && typeof value === 'number' && Number.isFinite(value)),
    );
    return { sizes, plantShut: kept.plantShut === true, trendShut: kept.trendShut === true };
  } catch {
    return nothing;
  }
}

type LayoutState = Layout & { size: SizeClass };
export const useLayout = create<LayoutState>()(() => ({ ...read(sizeClass()), size: sizeClass() }));

addEventListener('resize', () => {
  const size = sizeClass();
  if (size !== useLayout.getState().size) useLayout.setState({ ...read(size), size });
});

function change(patch: Partial<Layout>): void {
  useLayout.setState(patch);
  const { size, sizes, plantShut, trendShut } = useLayout.getState();
  try {
    localStorage.setItem(keyOf(size), JSON.stringify({ sizes, plantShut, trendShut }));
  } catch {
    // a browser that keeps nothing: the layout holds until it is closed
  }
}

export const sizeOf = (layout: LayoutState, what: Sized): number => layout.sizes[what] ?? usual[layout.size][what];
export function resize(what: Sized, px: number): void {
  const [least, most] = bounds[what];
  const { sizes } = useLayout.getState();
  change({ sizes: { ...sizes, [what]: Math.round(Math.min(most, Math.max(least, px))) } });
}
export function resetSize(what: Sized): void {
  const { [what]: _gone, ...sizes } = useLayout.getState().sizes;
  change({ sizes });
}
export const resetLayout = (): void => change(nothing);
export const toggleShut = (what: 'plantShut' | 'trendShut'): void => change({ [what]: !useLayout.getState()[what] });
