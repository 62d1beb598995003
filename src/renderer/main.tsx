import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/chat.css';
import './styles/evidence.css';
import './styles/screens.css';
import { App } from './app/App.tsx';
import { startConnection } from './client/connection.ts';

startConnection();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
