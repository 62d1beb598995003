import { addPhrase, emptyDictionary, latinPieces, type Dictionary } from './dictionary.ts';
import { initials } from './initials.ts';
import { isHan, normalise } from './normalise.ts';
import { scanChinese } from './numbers.ts';
import { perPlant } from './perPlant.ts';
import type { World, WorldTag } from './types.ts';

/**
 * The names of a plant, taken apart. An alias becomes atoms, language-free where both languages have the word: "pump 2
 * frequency" and 2号泵频率 are both {pump, #2, frequency}. A request's words fit a tag when their atoms do, so word order,
 * 的, "of the" and mixed languages do not matter.
 */
export type Vocabulary = {
  dictionary: Dictionary;
  /** Atoms of a full name or alias, sorted and joined, to the things so called. */
  full: Map<string, Thing[]>;
  /** One atom to the things in whose names it stands. */
  byAtom: Map<string, Set<Thing>>;
  byIdentifier: Map<string, Thing>;
  /** Pinyin initials (glwd) to the things so abbreviated; only a single one is a name. */
  byInitials: Map<string, Set<Thing>>;
  tags: Map<string, WorldTag>;
};
export type Thing = { kind: 'tag' | 'device'; id: string; order: number; names: string[][] };

const concepts: Readonly<Record<string, string>> = {
  temperature: 'temperature|temp|temperatures|temps|温度',
  setpoint: 'setpoint|sp|set point|setpoints|设定值|设定|给定值|设定点',
  pressure: 'pressure|pressures|压力',
  flow: 'flow|flows|flowrate|flow rate|流量',
  level: 'level|levels|液位',
  tank: 'tank|tanks|罐|储罐',
  pump: 'pump|pumps|泵',
  frequency: 'frequency|freq|frequencies|频率',
  status: 'status|运行状态|状态',
  run: 'run|running status|running state',
  valve: 'valve|valves|阀|阀门',
  inlet: 'inlet|进水',
  opening: 'opening|开度',
  position: 'position|阀位',
  motor: 'motor|motors|电机',
  mainMotor: 'main motor|主电机',
  current: 'current|currents|电流',
  outdoor: 'outdoor|室外',
  total: 'total|总',
  power: 'power|功率',
  line: 'line|产线|线',
  speed: 'speed|速度',
  boiler: 'boiler|锅炉',
  drum: 'drum|汽包',
  feedwater: 'feedwater|feed water|给水',
  plc: 'plc|plcs',
  drive: 'drive|drives',
  vfd: 'vfd|vfds',
  inverter: '变频器',
  humidity: 'humidity|湿度',
  voltage: 'voltage|电压',
  fan: 'fan|fans|风机',
  energy: 'energy|电能',
  torque: 'torque|转矩',
  outlet: 'outlet|出口',
  water: 'water|水',
  steam: 'steam|蒸汽',
  air: 'air|空气',
  gas: 'gas|燃气',
  oil: 'oil|油',
  heater: 'heater|加热器',
  compressor: 'compressor|压缩机',
  conveyor: 'conveyor|输送带',
  meter: 'meter|仪表|表',
  rpm: 'rpm|转速',
};
const conceptOf = new Map<string, string>();
for (const [atom, list] of Object.entries(concepts)) for (const word of list.split('|')) conceptOf.set(word, atom);
const hanConcepts = [...conceptOf.keys()].filter((word) => isHan(word[0])).sort((a, b) => b.length - a.length);
const silent = new Set(['of', 'the', 'no', 'number', 'a', 'an', 'in', 's']);

export const keyOf = (atoms: readonly string[]): string => [...atoms].sort().join(' ');

/** A name in atoms. Chinese that no concept covers stays whole, so unknown plants work by their own words. */
export function atomsOf(name: string): { atoms: string[]; words: [string, string][] } {
  const text = normalise(name.replace(/_/g, ' ')).text;
  const atoms: string[] = [];
  const words: [string, string][] = [];
  const add = (word: string, atom: string) => {
    atoms.push(atom);
    words.push([word, atom]);
  };
  for (const match of text.matchAll(/[a-z]+|\d+(?:\.\d+)?|[\u3400-\u9fff〇]+|[^\s]/g)) {
    const part = match[0];
    if (/^\d/.test(part)) atoms.push(`#${Number(part)}`);
    else if (isHan(part[0])) hanAtoms(part, add, (n) => atoms.push(`#${n}`));
    else if (/^[a-z]/.test(part) && !silent.has(part)) add(part, conceptOf.get(part) ?? part);
  }
  return { atoms: joinTwoWords(atoms, words, text), words };
}

/** "feed water" and "main motor" are one concept each. */
function joinTwoWords(atoms: string[], words: [string, string][], text: string): string[] {
  for (const pair of ['feed water', 'set point', 'main motor', 'flow rate']) {
    if (!text.includes(pair)) continue;
    const [a, b] = pair.split(' ') as [string, string];
    const first = atoms.indexOf(conceptOf.get(a) ?? a);
    if (first < 0 || atoms[first + 1] !== (conceptOf.get(b) ?? b)) continue;
    atoms.splice(first, 2, conceptOf.get(pair)!);
    words.push([pair, conceptOf.get(pair)!]);
  }
  return atoms;
}

function hanAtoms(run: string, add: (word: string, atom: string) => void, number: (n: number) => void): void {
  let rest = '';
  const flush = () => {
    if (rest !== '') add(rest, rest);
    rest = '';
  };
  for (let i = 0; i < run.length;) {
    const concept = hanConcepts.find((word) => run.startsWith(word, i));
    const numeral = concept === undefined ? scanChinese(run, i, false) : null;
    if (concept !== undefined) {
      flush();
      add(concept, conceptOf.get(concept)!);
      i += concept.length;
    } else if (numeral) {
      flush();
      number(numeral.amount.value);
      i = numeral.end;
    } else {
      if (run[i] === '号' || run[i] === '的') flush();
      else rest += run[i]!;
      i++;
    }
  }
  flush();
}

/** Built once a plant: a request then costs look-ups only, whatever the number of tags. */
export const vocabularyOf: (world: World) => Vocabulary = perPlant((world) => build(world));

function build(world: World): Vocabulary {
  const vocabulary: Vocabulary = {
    dictionary: emptyDictionary(),
    full: new Map(),
    byAtom: new Map(),
    byIdentifier: new Map(),
    byInitials: new Map(),
    tags: new Map(world.tags.map((tag) => [tag.name, tag])),
  };
  const things: [Thing, string[]][] = [
    ...world.tags.map((tag, order): [Thing, string[]] => [{ kind: 'tag', id: tag.name, order, names: [] }, [tag.name, ...tag.aliases]]),
    ...world.devices.map((device, order): [Thing, string[]] => [
      { kind: 'device', id: device.id, order, names: [] },
      [device.id, ...device.aliases],
    ]),
  ];
  const used = new Set<string>();
  for (const [thing, names] of things) {
    for (const name of names) {
      const { atoms, words } = atomsOf(name);
      if (atoms.length === 0) continue;
      thing.names.push(atoms);
      const key = keyOf(atoms);
      const list = vocabulary.full.get(key) ?? [];
      if (!list.includes(thing)) list.push(thing);
      vocabulary.full.set(key, list);
      for (const atom of atoms) {
        used.add(atom);
        let set = vocabulary.byAtom.get(atom);
        if (!set) vocabulary.byAtom.set(atom, (set = new Set()));
        set.add(thing);
      }
      for (const [word, atom] of words)
        addPhrase(vocabulary.dictionary, word, (e) => {
          e.atom = atom;
        });
      const short = initials(name);
      if (/^\d?[a-z]{3,}\d?$/.test(short)) {
        let set = vocabulary.byInitials.get(short);
        if (!set) vocabulary.byInitials.set(short, (set = new Set()));
        set.add(thing);
      }
      const plain = normalise(name).text.replace(/[\s_]/g, '');
      if (/^[a-z][a-z0-9]*$/.test(plain)) vocabulary.byIdentifier.set(plain, thing);
    }
  }
  for (const [word, atom] of conceptOf)
    if (used.has(atom))
      addPhrase(vocabulary.dictionary, word, (e) => {
        e.atom = atom;
      });
  return vocabulary;
}

export { latinPieces };
