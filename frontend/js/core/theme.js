// Blocking and tiny, so that the first paint has the right theme. ?theme= beats the stored choice beats the system's.
(() => {
  const asked = new URLSearchParams(location.search).get('theme');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let stored = null;
  try { stored = localStorage.getItem('wattline-theme'); } catch { /* storage may be closed to us */ }

  const system = () => (dark.matches ? 'dark' : 'light');
  const known = (theme) => (theme === 'dark' || theme === 'light' ? theme : null);
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    document.dispatchEvent(new Event('wl-theme'));
  };

  apply(known(asked) ?? known(stored) ?? system());
  dark.addEventListener('change', () => { if (!known(asked) && !known(stored)) apply(system()); });
  document.addEventListener('wl-theme-toggle', () => {
    stored = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    try { localStorage.setItem('wattline-theme', stored); } catch { /* then it lasts for this page */ }
    apply(stored);
  });
})();
