// Load a view now, again every minute (or so), and when the tab comes back. The first failure shows in the panels; later ones
// leave what is known standing (the live pill tells that the server is gone).
//   refresh(() => get('/facility'), paint, panels)
export function refresh(load, paint, panels, seconds = 60) {
  let shown = false;
  let last = 0;

  async function run() {
    last = Date.now();
    try {
      paint(await load());
      shown = true;
    } catch (problem) {
      if (!('hint' in problem)) console.error(problem);
      if (!shown) panels.forEach((p) => p.error(problem, run));
    }
  }

  setInterval(() => { if (!document.hidden) run(); }, seconds * 1000);
  document.addEventListener('visibilitychange', () => { if (!document.hidden && Date.now() - last > seconds * 1000) run(); });
  run();
  return run;
}
