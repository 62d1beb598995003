import { EventEmitter } from 'node:events';
import ModbusRTU from 'modbus-serial';
import type { WireRequest } from '../../../shared/contracts/devices.ts';

/** modbus-serial asks this much of a port. It builds every frame in RTU form, with a CRC, whatever the transport. */
class CapturingPort extends EventEmitter {
  isOpen = true;
  _transactionIdWrite = 1;
  _transactionIdRead = 1;
  frame: Uint8Array | null = null;
  open(done: (error: Error | null) => void): void {
    done(null);
  }
  close(done?: (error: Error | null) => void): void {
    done?.(null);
  }
  write(frame: Uint8Array): void {
    this.frame = Uint8Array.from(frame);
  }
}

type Write = (...args: unknown[]) => void;
type Encoder = Record<
  'writeFC1' | 'writeFC2' | 'writeFC3' | 'writeFC4' | 'writeFC5' | 'writeFC6' | 'writeFC15' | 'writeFC16' | 'writeFC22' | 'writeFC23',
  Write
>;

/**
 * The RTU frame another author's encoder makes of a request, or null where it does not know the function. Only requests that
 * our own encoder has accepted may come here: this one writes 0 for NaN.
 */
export function theirFrame(request: WireRequest): Uint8Array | null {
  const port = new CapturingPort();
  const client = new ModbusRTU(port);
  (client as unknown as { _port: unknown })._port = port;
  const encoder = client as unknown as Encoder;
  const { unitId: unit, functionCode, address, quantity, words, bits } = request;
  switch (functionCode) {
    case 1:
      encoder.writeFC1(unit, address, quantity, ignore);
      break;
    case 2:
      encoder.writeFC2(unit, address, quantity, ignore);
      break;
    case 3:
      encoder.writeFC3(unit, address, quantity, ignore);
      break;
    case 4:
      encoder.writeFC4(unit, address, quantity, ignore);
      break;
    case 5:
      encoder.writeFC5(unit, address, bits![0], ignore);
      break;
    case 6:
      encoder.writeFC6(unit, address, words![0], ignore);
      break;
    case 15:
      encoder.writeFC15(unit, address, [...bits!], ignore);
      break;
    case 16:
      encoder.writeFC16(unit, address, [...words!], ignore);
      break;
    case 22:
      encoder.writeFC22(unit, address, request.andMask, request.orMask, ignore);
      break;
    case 23:
      encoder.writeFC23(unit, address, quantity, request.writeAddress, words!.length, [...words!], ignore);
      break;
    default:
      return null;
  }
  return port.frame;
}

function ignore(): void {
  // Nobody answers: the frame is all we want.
}
