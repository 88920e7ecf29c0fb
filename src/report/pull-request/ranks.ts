/**
 * The order in which parts get room, by form: what a reviewer must know, each in a few lines; then that everything is
 * named; then all of it. The lowest rank is the first. The first of many have ranks of their own, so that one long list
 * does not keep another out.
 */
export const ranks = {
  summary: [0, 2, 34],
  effects: [8, 10, 40, 80],
  clusters: [18, 20, 41, 90],
  versions: [19, 22, 42, 82],
  errors: [24, 50],
  moreErrors: [76, 115],
  undo: [23, 26, 44, 84],
  steps: [28, 60],
  reproduce: [30],
  changes: [70, 75, 130],
  moreChanges: [70, 100, 130],
  warnings: [72, 110],
  moreWarnings: [111, 118],
  acknowledged: [74, 112],
} as const

/** How many are the first of many. */
export const FIRST = 20
