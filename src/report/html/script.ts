/**
 * Search, filter and switches; without it everything can be read. It makes no markup of texts: the page forbids that
 * (`require-trusted-types-for`).
 */
export const script: string = String.raw`
'use strict';
(() => {
  const root = document.documentElement;
  const tools = document.getElementById('tools');
  tools.hidden = false;
  const search = document.getElementById('search');
  const cluster = document.getElementById('cluster');
  const found = document.getElementById('found');
  const scheme = document.getElementById('scheme');
  const unfold = document.getElementById('unfold');

  const isDark = () => root.dataset.scheme ? root.dataset.scheme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const nameScheme = () => { scheme.textContent = isDark() ? 'Light colours' : 'Dark colours'; };
  scheme.addEventListener('click', () => { root.dataset.scheme = isDark() ? 'light' : 'dark'; nameScheme(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', nameScheme);
  nameScheme();

  const folds = [...document.querySelectorAll('main details')];
  let isUnfolded = folds.length > 0 && folds.every((fold) => fold.open);
  const nameUnfold = () => { unfold.textContent = isUnfolded ? 'Close all' : 'Open all'; };
  unfold.hidden = folds.length === 0;
  unfold.addEventListener('click', () => {
    isUnfolded = !isUnfolded;
    for (const fold of folds) fold.open = isUnfolded;
    nameUnfold();
  });
  nameUnfold();

  const readRanges = (text) => text.split(' ').map((range) => { const [from, to = from] = range.split('-').map(Number); return [from, to]; });
  let entries;
  const readEntries = () => [...document.querySelectorAll('[data-entry]')].map((element) => ({
    element,
    text: element.textContent.toLowerCase(),
    ranges: element.dataset.clusters === undefined ? undefined : readRanges(element.dataset.clusters),
  }));
  const opened = new Set();
  const apply = () => {
    entries ??= readEntries();
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
    const chosen = cluster === null || cluster.value === '' ? undefined : Number(cluster.value);
    let shown = 0;
    for (const entry of entries) {
      const isOfCluster = chosen === undefined || entry.ranges === undefined || entry.ranges.some(([from, to]) => from <= chosen && chosen <= to);
      const isShown = isOfCluster && words.every((word) => entry.text.includes(word));
      entry.element.hidden = !isShown;
      if (isShown) shown++;
    }
    for (const fold of opened) fold.open = false;
    opened.clear();
    const isAsked = words.length > 0 || chosen !== undefined;
    if (words.length > 0 && shown <= 5) {
      for (const { element } of entries) {
        for (let fold = element.closest('details'); fold !== null && !element.hidden; fold = fold.parentElement.closest('details')) {
          if (fold.open) continue;
          fold.open = true;
          opened.add(fold);
        }
      }
    }
    for (const part of document.querySelectorAll('[data-part]')) {
      part.hidden = isAsked && part.querySelector('[data-entry]') !== null && part.querySelector('[data-entry]:not([hidden])') === null;
    }
    found.textContent = isAsked ? shown + ' of ' + entries.length + ' entries' : '';
  };
  let waiting;
  search.addEventListener('input', () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(apply); });
  cluster?.addEventListener('change', apply);
  tools.addEventListener('submit', (event) => { event.preventDefault(); apply(); });
  // an address names a part that the filter hides, or that has moved since the tools are shown
  const goTo = () => {
    const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (part === null || part.dataset.part === undefined) return;
    if (part.hidden) {
      search.value = '';
      if (cluster !== null) cluster.value = '';
      apply();
    }
    part.scrollIntoView();
  };
  addEventListener('hashchange', goTo);
  document.querySelector('.contents')?.addEventListener('click', () => requestAnimationFrame(goTo));
  // a browser that goes back fills in what was typed
  if (search.value !== '' || (cluster !== null && cluster.value !== '')) apply();
  if (location.hash !== '') goTo();
})();
`
