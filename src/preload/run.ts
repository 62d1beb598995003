import { ipcRenderer } from 'electron';

// The hidden page of one run gets one port, from main, and nothing else.
ipcRenderer.on('handrail:run', (event) => {
  window.postMessage('handrail:run', location.origin, event.ports as unknown as Transferable[]);
});
