// @ts-check
// Blocking and small, so that the first paint has the right theme. ?theme= overrides the stored choice, which overrides
// the system's.
(() => {
  const requested = new URLSearchParams(location.search).get('theme');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  /** @type {string | null} */
  let stored = null;
  try {
    stored = localStorage.getItem('wattline-theme');
  } catch {
    /* storage may be disabled */
  }

  const system = () => (dark.matches ? 'dark' : 'light');
  /** @param {string | null} theme */
  const known = (theme) => (theme === 'dark' || theme === 'light' ? theme : null);
  /** @param {string} theme */
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    document.dispatchEvent(new Event('wl-theme'));
  };

  apply(known(requested) ?? known(stored) ?? system());
  dark.addEventListener('change', () => {
    if (!known(requested) && !known(stored)) apply(system());
  });
  let before = '';
  addEventListener('beforeprint', () => {
    before = document.documentElement.dataset.theme ?? '';
    if (before === 'dark') apply('light'); // light text is lost on paper
  });
  addEventListener('afterprint', () => {
    if (before === 'dark') apply(before);
  });
  document.addEventListener('wl-theme-toggle', () => {
    stored = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem('wattline-theme', stored);
    } catch {
      /* then it lasts for this page only */
    }
    apply(stored);
  });
})();
