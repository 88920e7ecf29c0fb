/** Folder inside the output folder for what a run needs while it writes; gone when it ends. Worth a line in .gitignore. */
export const CONTROL_FOLDER = '.stackmason'

/** Paths of the control folder's parts, relative to the output folder. */
export const controlPaths: { readonly lock: string; readonly journal: string; readonly staging: string } = {
  lock: `${CONTROL_FOLDER}/lock.json`,
  journal: `${CONTROL_FOLDER}/journal.json`,
  staging: `${CONTROL_FOLDER}/staging`,
}
