// Runs before anything is shown, so that a page never flashes in the other colours. A browser may keep nothing for files on the disk.
try {
  const kept = localStorage.getItem('scheme')
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset.scheme = kept
} catch {
  delete document.documentElement.dataset.scheme
}
