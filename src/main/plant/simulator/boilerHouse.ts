/**
 * The physics of the simulated boiler house: two tanks in a row, two pumps, an inlet valve, a gas burner with a PI
 * controller on a boiler, a production line that takes power. Simple balances, but coupled: opening the valve fills tank 1,
 * pump 1 moves it to tank 2, pump 2 feeds the boiler and cools it, the burner answers, gas and energy count up.
 * Pure: the same state and the same times give the same values, noise included.
 */
export type Commands = {
  boiler_temp_sp: number;
  pump1_freq: number;
  pump2_freq: number;
  pump1_run: boolean;
  pump2_run: boolean;
  inlet_valve: number;
  line_speed: number;
  burner_enable: boolean;
  alarm_ack: boolean;
  op_mode: number;
  blowdown_open: number;
  o2_trim: number;
  horn_off: boolean;
  drive_ramp: number;
};

export type Process = {
  boilerTemp: number;
  burnerLoad: number;
  integral: number;
  tank1: number;
  tank2: number;
  pump1Hz: number;
  pump2Hz: number;
  valve: number;
  lineSpeed: number;
  conductivity: number;
  energyKwh: number;
  gasLitres: number;
  waterM3: number;
  runHours: number;
  starts: number;
  flame: boolean;
  overheat: boolean;
  lowWater: boolean;
  flameFail: boolean;
};

/** What the plant suffers from when a fault is injected. */
export type Troubles = {
  valveStuck?: boolean;
  pump1Tripped?: boolean;
  flameFails?: boolean;
  overheats?: boolean;
  sensorBroken?: boolean;
  frozen?: boolean;
};

export type BoilerHouse = { at: number; commands: Commands; process: Process };

export function newBoilerHouse(at: number): BoilerHouse {
  return {
    at,
    commands: {
      boiler_temp_sp: 165,
      pump1_freq: 28,
      pump2_freq: 30,
      pump1_run: true,
      pump2_run: true,
      inlet_valve: 45,
      line_speed: 32,
      burner_enable: true,
      alarm_ack: false,
      op_mode: 1,
      blowdown_open: 5,
      o2_trim: 3,
      horn_off: false,
      drive_ramp: 10,
    },
    process: {
      boilerTemp: 164.6,
      burnerLoad: 39,
      integral: 39,
      tank1: 0.64,
      tank2: 0.58,
      pump1Hz: 28,
      pump2Hz: 30,
      valve: 45,
      lineSpeed: 32,
      conductivity: 2450,
      energyKwh: 184_302.4,
      gasLitres: 91_204_500,
      waterM3: 40_871.25,
      runHours: 6_214.5,
      starts: 412,
      flame: true,
      overheat: false,
      lowWater: false,
      flameFail: false,
    },
  };
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
const towards = (value: number, target: number, step: number): number =>
  value < target ? Math.min(target, value + step) : Math.max(target, value - step);
/** First-order lag: how far towards the target in `dt` with time constant `tau`. */
const lag = (value: number, target: number, dt: number, tau: number): number => value + (target - value) * (1 - Math.exp(-dt / tau));

/** The longest stretch made up for after a pause; a plant that stood for a week is simply found as it was two hours later. */
const catchUpMs = 2 * 3_600_000;
const stepMs = 500;

/** The plant at a later time. Time that ran backwards (a corrected clock) moves nothing. */
export function advance(house: BoilerHouse, to: number, troubles: Troubles = {}): BoilerHouse {
  if (to <= house.at || troubles.frozen) return { ...house, at: to };
  const process = { ...house.process };
  const commands = { ...house.commands };
  for (let at = Math.max(house.at, to - catchUpMs); at < to;) {
    const next = Math.min(at + stepMs, to);
    step(process, commands, (next - at) / 1000, next, troubles);
    at = next;
  }
  return { at: to, commands, process };
}

function step(p: Process, c: Commands, dt: number, at: number, troubles: Troubles): void {
  const pump1On = c.pump1_run && !troubles.pump1Tripped;
  p.pump1Hz = towards(p.pump1Hz, pump1On ? c.pump1_freq : 0, dt * 5);
  p.pump2Hz = towards(p.pump2Hz, c.pump2_run ? c.pump2_freq : 0, (dt * 50) / Math.max(1, c.drive_ramp));
  if (!troubles.valveStuck) p.valve = towards(p.valve, c.inlet_valve, dt * 5);
  p.lineSpeed = towards(p.lineSpeed, c.line_speed, dt * 2);

  const flows = flowsOf(p);
  const perHour = dt / 3600;
  p.tank1 = clamp(p.tank1 + ((flows.inlet - flows.transfer) * perHour) / tankM3, 0, 1);
  p.tank2 = clamp(p.tank2 + ((flows.transfer - flows.feed) * perHour) / tankM3, 0, 1);

  p.lowWater = p.lowWater ? !(c.alarm_ack && p.tank2 > 0.12) : p.tank2 < 0.08;
  p.overheat = p.overheat ? !(c.alarm_ack && p.boilerTemp < 185) : p.boilerTemp > 190;
  p.flameFail = troubles.flameFails === true || (p.flameFail && !c.alarm_ack);
  const mayBurn = c.burner_enable && c.op_mode > 0 && !p.lowWater && !p.overheat && !p.flameFail;
  const error = c.boiler_temp_sp - p.boilerTemp;
  if (c.op_mode === 1 && mayBurn) p.integral = clamp(p.integral + error * dt * 0.05, 0, 100);
  const wanted = !mayBurn ? 0 : troubles.overheats ? 100 : c.op_mode === 1 ? clamp(p.integral + 3 * error, 0, 100) : p.integral;
  p.burnerLoad = lag(p.burnerLoad, wanted, dt, 6);
  const flame = mayBurn && p.burnerLoad > 3;
  if (flame && !p.flame) p.starts = (p.starts + 1) % 65536;
  p.flame = flame;

  const heating = flame ? (p.burnerLoad / 100) * 1.2 : 0;
  const losses =
    ((p.boilerTemp - outdoorAt(at)) / 140) * 0.35 + (flows.feed / 60) * 0.25 * (p.boilerTemp / 150) + (c.blowdown_open / 100) * 0.1;
  p.boilerTemp = clamp(p.boilerTemp + (heating - losses) * dt, 5, 245);
  p.conductivity = clamp(p.conductivity + (flows.feed * 0.02 - c.blowdown_open * 0.06 * (p.conductivity / 2450)) * dt * 0.1, 100, 5900);

  p.energyKwh = (p.energyKwh + powerOf(p) * perHour) % 429_496_729;
  p.gasLitres += gasOf(p) * 1000 * perHour;
  p.waterM3 += flows.feed * perHour;
  if (flame) p.runHours += perHour;
  c.alarm_ack = false; // a push button: it springs back once the plant has seen it
}

const tankM3 = 3;

function flowsOf(p: Process): { inlet: number; transfer: number; feed: number } {
  const dry = (level: number) => clamp(level * 40, 0, 1); // a pump draws air below 2.5 %
  return {
    inlet: 40 * (p.valve / 100) * Math.sqrt(clamp(1.25 - p.tank1, 0, 1.25)) * (p.tank1 >= 1 ? 0 : 1),
    transfer:
      30 *
      (p.pump1Hz / 50) *
      Math.sqrt(clamp(0.35 + p.tank1, 0, 1.35)) *
      dry(p.tank1) *
      (p.tank2 >= 1 ? 0 : 1) *
      Math.sqrt(clamp(1.4 - p.tank2, 0, 1)),
    feed: 30 * (p.pump2Hz / 50) * Math.sqrt(clamp(0.2 + p.tank2, 0, 1.2)) * dry(p.tank2),
  };
}

const powerOf = (p: Process): number =>
  35 + 55 * (p.pump1Hz / 50) ** 3 + 55 * (p.pump2Hz / 50) ** 3 + p.burnerLoad * 0.6 + p.lineSpeed * 1.5;
const gasOf = (p: Process): number => (p.flame ? 40 + p.burnerLoad * 4.2 : 0);

function outdoorAt(at: number): number {
  const hours = at / 3_600_000;
  return 8 + 6 * Math.sin(((hours - 1) / 24) * 2 * Math.PI) + 2 * Math.sin((hours / 97) * 2 * Math.PI);
}

/** Saturated steam: gauge pressure in MPa over water of this temperature (Antoine, 99 to 374 °C). */
export function drumPressure(celsius: number): number {
  const mmHg = 10 ** (8.14019 - 1810.94 / (244.485 + celsius));
  return Math.max(0, mmHg * 1.33322e-4 - 0.101325);
}

/** Small measuring noise in -1..1: the same second and the same sensor give the same noise. */
function noise(sensor: number, at: number): number {
  let x = (Math.floor(at / 1000) * 0x9e3779b1 + sensor * 0x85ebca6b) | 0;
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
  return ((x ^ (x >>> 15)) >>> 0) / 0x7fffffff - 1;
}

/** Every tag of the plant in engineering units; null is a sensor that delivers nothing. Bits of words are not repeated here. */
export function readingsOf(
  { at, commands: c, process: p }: BoilerHouse,
  troubles: Troubles = {},
): Record<string, number | boolean | string | bigint | null> {
  const flows = flowsOf(p);
  const amps = p.pump2Hz < 0.5 ? 0 : 18 + 78 * (p.pump2Hz / 50) ** 2 + noise(3, at) * 0.6;
  const alarmWord = (p.overheat ? 1 : 0) | (p.lowWater ? 2 : 0) | (p.flameFail ? 4 : 0);
  const pump1On = c.pump1_run && !troubles.pump1Tripped;
  return {
    ...c,
    pump1_run: pump1On,
    boiler_temp: troubles.sensorBroken ? null : p.boilerTemp + noise(1, at) * 0.05,
    boiler_pressure: clamp(drumPressure(p.boilerTemp) + noise(2, at) * 0.0008, 0, 1.6),
    feedwater_flow: clamp(flows.feed + (flows.feed > 0.5 ? noise(4, at) * 0.05 : 0), 0, 60),
    tank1_level: p.tank1 * 100,
    tank2_level: p.tank2 * 100,
    motor_current: clamp(amps, 0, 120),
    outdoor_temp: outdoorAt(at) + noise(5, at) * 0.05,
    total_power: clamp(powerOf(p) + noise(6, at) * 0.4, 0, 800),
    burner_on: p.flame,
    feed_ready: p.tank2 > 0.12,
    burner_load: clamp(p.burnerLoad, 0, 100),
    flue_o2: clamp((p.flame ? c.o2_trim + (100 - p.burnerLoad) * 0.012 : 20.9) + noise(7, at) * 0.03, 0, 21),
    gas_rate: gasOf(p),
    steam_output: p.flame ? clamp(p.burnerLoad * 0.085, 0, 10) : 0,
    water_conductivity: p.conductivity,
    water_ph: 10.8 + noise(8, Math.floor(at / 20_000)) * 0.05,
    grid_voltage: 398.5 + noise(9, at) * 1.2,
    power_factor: 0.93 + noise(10, at) * 0.004,
    energy_total: p.energyKwh,
    gas_total: BigInt(Math.floor(p.gasLitres)),
    water_total: p.waterM3,
    run_hours: p.runHours,
    burner_starts: p.starts,
    alarm_word: alarmWord,
    plc_model: 'BH-2000 R3',
    drive_dc_bus: 562 - (p.pump2Hz / 50) * 9 + noise(11, at),
    drive_torque: clamp((p.pump2Hz / 50) ** 2 * 92 + noise(12, at), -200, 200),
    drive_status: 1 | (p.pump2Hz > 0.5 ? 2 : 0) | (Math.abs(p.pump2Hz - (c.pump2_run ? c.pump2_freq : 0)) < 0.05 ? 4 : 0),
  };
}
