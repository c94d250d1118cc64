// Before anything is drawn: the looks as they were last, so that nothing flashes. preferences/look.ts writes them.
try {
  const look = JSON.parse(localStorage.getItem('pilotlight.look') ?? '{}');
  const root = document.documentElement;
  if (look.theme === 'light' || look.theme === 'dark') root.dataset.theme = look.theme;
  if (typeof look.accent === 'string') root.dataset.accent = look.accent;
  if (typeof look.text_size === 'number') {
    root.style.setProperty('--text-size', String(look.text_size));
  }
} catch {
  // Without storage the looks come with the server's state.
}
