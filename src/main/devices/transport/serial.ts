import { access, constants, stat } from 'node:fs/promises';
import { SerialPort } from 'serialport';
import type { SerialSettings } from '../../../shared/contracts/devices.ts';
import { OpenFailure, type Transport, type TransportEvents } from './transport.ts';

const plugWatchMs = 2000;

/** serialport barely checks: parity "E1" becomes none, 9 data bits become 8, without a word. So we do. */
function checkSettings(serial: SerialSettings): void {
  const wrong =
    !Number.isInteger(serial.baud) || serial.baud < 50 || serial.baud > 4_000_000
      ? `baud ${serial.baud}`
      : serial.dataBits !== 7 && serial.dataBits !== 8
        ? `data bits ${String(serial.dataBits)}`
        : serial.stopBits !== 1 && serial.stopBits !== 2
          ? `stop bits ${String(serial.stopBits)}`
          : !['none', 'even', 'odd'].includes(serial.parity)
            ? `parity ${String(serial.parity)}`
            : null;
  if (wrong) throw new OpenFailure('PORT_SETTINGS', wrong);
}

async function checkPath(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const found = await stat(path);
    if (!found.isCharacterDevice()) throw new OpenFailure('PORT_NOT_SERIAL', `${path} is not a serial port`);
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof OpenFailure) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new OpenFailure('PORT_NOT_FOUND', `${path} does not exist`, error);
    if (code === 'EACCES' || code === 'EPERM') throw new OpenFailure('PORT_PERMISSION', `no permission for ${path}`, error);
    throw new OpenFailure('PORT_OPEN_FAILED', (error as Error).message, error);
  }
}

/** serialport's errors carry no code, only the system's text. */
function failureOf(text: string): OpenFailure['failure'] {
  if (/cannot lock port|resource (temporarily unavailable|busy)|device or resource busy|access denied/i.test(text)) return 'PORT_BUSY';
  if (/permission denied|not permitted/i.test(text)) return 'PORT_PERMISSION';
  if (/no such file|file not found|no such device/i.test(text)) return 'PORT_NOT_FOUND';
  if (/inappropriate ioctl|not a serial|invalid handle/i.test(text)) return 'PORT_NOT_SERIAL';
  return 'PORT_OPEN_FAILED';
}

/** A new port object for every opening: serialport keeps what was written to a closed one and sends it after the next. */
export async function openSerial(serial: SerialSettings, events: TransportEvents): Promise<Transport> {
  checkSettings(serial);
  await checkPath(serial.path);
  const port = new SerialPort({
    path: serial.path,
    baudRate: serial.baud,
    dataBits: serial.dataBits,
    parity: serial.parity,
    stopBits: serial.stopBits,
    autoOpen: false,
    lock: true,
    rtscts: false,
    xon: false,
    xoff: false,
  });
  let isOver = false;
  let watch: ReturnType<typeof setInterval> | null = null;
  const end = (reason: string): void => {
    if (isOver) return;
    isOver = true;
    if (watch) clearInterval(watch);
    events.closed(reason);
  };
  port.on('error', (error: Error) => end(error.message));
  await new Promise<void>((resolve, reject) => {
    port.open((error) => {
      if (error) {
        isOver = true;
        reject(new OpenFailure(failureOf(error.message), error.message, error));
      } else resolve();
    });
  });
  port.on('close', (error: Error | null) => end(error?.message ?? 'the port was closed'));
  port.on('data', (bytes: Buffer) => {
    if (!isOver) events.data(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)); // a Buffer's slice() is no copy
  });
  // Some drivers never report a pulled plug: its name going away is noticed here, within two seconds.
  if (process.platform !== 'win32') {
    watch = setInterval(() => {
      stat(serial.path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') end('the port has vanished');
      });
    }, plugWatchMs);
    watch.unref();
  }
  // What lay in the driver from before is nobody's answer.
  await new Promise<void>((resolve) => port.flush(() => resolve()));
  return {
    write(bytes) {
      if (isOver || !port.isOpen) throw new Error('the port is closed');
      port.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    },
    destroy() {
      isOver = true;
      if (watch) clearInterval(watch);
      if (port.isOpen) port.close(() => undefined);
    },
  };
}
