/**
 * Folder inside the output folder for what a run needs while it writes and remembers afterwards. Never committed: it
 * ignores itself.
 */
export const CONTROL_FOLDER = '.stackmason'

/** Paths of the control folder's parts, relative to the output folder. */
export const controlPaths: {
  readonly lock: string
  readonly sign: string
  readonly journal: string
  readonly staging: string
  /** Holds files that a run replaces, until it has ended: only going back needs them. */
  readonly kept: string
  readonly written: string
  readonly ignore: string
} = {
  lock: `${CONTROL_FOLDER}/lock.json`,
  sign: `${CONTROL_FOLDER}/lock.socket`,
  journal: `${CONTROL_FOLDER}/journal.json`,
  staging: `${CONTROL_FOLDER}/staging`,
  kept: `${CONTROL_FOLDER}/kept`,
  written: `${CONTROL_FOLDER}/written.sha256`,
  ignore: `${CONTROL_FOLDER}/.gitignore`,
}

/** The control folder and all folders in it: what is written into one of them must not land elsewhere. */
export const CONTROL_FOLDERS: readonly string[] = [CONTROL_FOLDER, controlPaths.staging, controlPaths.kept]

/** The text of its `.gitignore`: keeps the folder out of git wherever it lies. */
export const IGNORE_ALL = '*\n'
