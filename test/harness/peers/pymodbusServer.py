# An independent server: pymodbus 3.0. `rtu DEV BAUD`, `tcp PORT`, `rtutcp PORT`, `ascii DEV BAUD`. Units 1 and 2;
# holding i = i, input i = 65535 - i, coil i = (i % 3 == 0), discrete i = (i % 5 == 0).
import asyncio
import sys

from pymodbus.datastore import ModbusSequentialDataBlock as B, ModbusServerContext as C, ModbusSlaveContext as S
from pymodbus.device import ModbusDeviceIdentification as I
from pymodbus.server import StartAsyncSerialServer, StartAsyncTcpServer
from pymodbus.transaction import ModbusAsciiFramer, ModbusRtuFramer, ModbusSocketFramer

n = range(65536)
st = S(di=B(0, [i % 5 == 0 for i in n]), co=B(0, [i % 3 == 0 for i in n]), hr=B(0, list(n)), ir=B(0, [65535 - i for i in n]), zero_mode=True)
ctx = C(slaves={1: st, 2: st}, single=False)
who = I(info_name={"VendorName": "pymodbus", "ProductCode": "PM", "MajorMinorRevision": "3.0.0"})
m, a = sys.argv[1], sys.argv[2:]


async def main():
    print("ready", flush=True)
    if m in ("tcp", "rtutcp"):
        await StartAsyncTcpServer(context=ctx, identity=who, address=("127.0.0.1", int(a[0])), framer=ModbusSocketFramer if m == "tcp" else ModbusRtuFramer)
    else:
        await StartAsyncSerialServer(context=ctx, identity=who, port=a[0], baudrate=int(a[1]), bytesize=8, parity="N", stopbits=1, framer=ModbusRtuFramer if m == "rtu" else ModbusAsciiFramer, timeout=0.005)


asyncio.run(main())
